import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startProduct, until } from '../../fixtures/product';

it('stops without waiting for connections that were opened ahead, as gateways do', async () => {
  const product = await startProduct();
  const silent = connect(product.port, '127.0.0.1');
  let closed = false;
  silent.once('close', () => {
    closed = true;
  });
  await until(() => silent.readyState === 'open');
  // An answer says that the server has seen the connection, which came before.
  expect((await fetch(`${product.origin}/healthz`)).status).toBe(200);
  const start = performance.now();
  expect(await product.stop()).toBe(0);
  expect(performance.now() - start).toBeLessThan(8_000);
  expect(closed).toBe(true);
});
