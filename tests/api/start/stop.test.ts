import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { ADMIN_TOKEN, startProduct, until } from '../../fixtures/product';

it('stops without waiting for connections that were opened ahead, as gateways do', async () => {
  const product = await startProduct();
  const silent = connect(product.port, '127.0.0.1');
  let closed = false;
  silent.once('close', () => {
    closed = true;
  });
  await until(() => silent.readyState === 'open');
  // A request in flight, which the end has to wait for.
  const { answer, finish } = slowRequest(product.port);
  // An answer says that the server has seen the connections, which came before.
  expect((await fetch(`${product.origin}/healthz`)).status).toBe(200);
  const stopped = product.stop();
  await until(() => closed);
  // So the silent one was not closed by the deadline at which everything is: this one goes on.
  finish();
  expect(await answer).toBe(200);
  expect(await stopped).toBe(0);
});

/** A change whose body stays away until it is told to come. */
function slowRequest(port: number): { answer: Promise<number | undefined>; finish: () => void } {
  const headers = {
    Authorization: `Bearer ${ADMIN_TOKEN}`,
    'Content-Type': 'application/json',
    'Transfer-Encoding': 'chunked',
  };
  const path = '/v1/admin/rate-limit/allowlist';
  const call = request({ host: '127.0.0.1', port, path, method: 'POST', headers });
  const answer = new Promise<number | undefined>((resolve, reject) => {
    call.once('error', reject);
    call.once('response', (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    });
  });
  call.write('{"type":"ip","identifier":"203.0.113.5",');
  return { answer, finish: () => call.end('"reason":"slow"}') };
}
