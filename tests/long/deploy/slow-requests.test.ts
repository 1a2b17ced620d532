import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIN_TOKEN, type Product, startProduct } from '../../fixtures/product';

/** Next without `server.mjs`. Node.js looks for slow requests every 30 seconds. */
let product: Product;
beforeAll(async () => {
  product = await startProduct({ entry: 'next start' });
});
afterAll(() => product?.stop());

it('a body that does not come ends with 408 on every kind of route of Next alone', async () => {
  const paths = ['/v1/admin/rate-limit/allowlist', '/v1/check', '/v1/invitation', '/auth/token', '/sign-in'];
  const answers = await Promise.all(
    paths.flatMap((path) =>
      ['Content-Length: 500', 'Transfer-Encoding: chunked'].map((framing) => {
        const socket = connect(product.port, '127.0.0.1');
        const credentials = path.startsWith('/v1') ? `Authorization: Bearer ${ADMIN_TOKEN}\r\n` : '';
        const type = 'Content-Type: application/json';
        socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${credentials}${type}\r\n${framing}\r\n\r\n`);
        return text(socket);
      }),
    ),
  );
  expect(answers.map((answer) => answer.split('\r\n')[0])).toEqual(answers.map(() => 'HTTP/1.1 408 Request Timeout'));
  expect((await fetch(`${product.origin}/healthz`)).status).toBe(200);
}, 120_000);
