import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from '../../fixtures/product';

/** Changes of the admin API as `server.mjs` answers them, and as Next does where there is none. */
let products: Product[];

beforeAll(async () => {
  products = await Promise.all([startProduct(), startProduct({ entry: 'next start' })]);
});
afterAll(async () => {
  for (const product of products) await product.stop();
});

const ENTRY = '/v1/admin/rate-limit/allowlist';
const entry = (identifier: string) => ({ type: 'ip', identifier, reason: 'test' });
const NO_TOKEN = { Authorization: '' };

const CALLS: [title: string, method: string, path: string, body?: unknown, headers?: Record<string, string>][] = [
  ['a change', 'POST', ENTRY, entry('192.0.2.1')],
  ['a change with a key', 'POST', ENTRY, entry('192.0.2.2'), { 'Idempotency-Key': 'one' }],
  ['the same again', 'POST', ENTRY, entry('192.0.2.2'), { 'Idempotency-Key': 'one' }],
  ['no content', 'DELETE', ENTRY, entry('192.0.2.1')],
  ['not found', 'DELETE', ENTRY, { type: 'ip', identifier: '192.0.2.9' }],
  ['a wrong body', 'POST', ENTRY, { type: 'ip' }],
  ['problem details', 'POST', ENTRY, { type: 'ip' }, { Accept: 'application/problem+json' }],
  ['a wrong type', 'POST', ENTRY, 'text', { 'Content-Type': 'text/plain' }],
  ['no body', 'POST', ENTRY],
  ['a wrong query', 'POST', `${ENTRY}?a=1&a=2`, entry('192.0.2.3')],
  ['no credentials', 'POST', ENTRY, entry('192.0.2.3'), NO_TOKEN],
  ['a path with parameters', 'PATCH', '/v1/admin/api-keys/no-such-key', { name: 'other' }],
  ['a path below parameters', 'POST', '/v1/admin/api-keys/no-such-key/rotate'],
  ['a method that is not there', 'PUT', '/v1/admin/overview', {}],
  ['a path that is not there', 'POST', '/v1/admin/nowhere', {}],
  ['a path in other spelling', 'POST', '/v1/admin/rate%2Dlimit/allowlist', entry('192.0.2.4')],
  ['another origin', 'POST', ENTRY, entry('192.0.2.6'), { Origin: 'https://evil.example', ...NO_TOKEN }],
];

/** Of the connection and the moment, or of how the body comes. */
const OF_THE_ROAD = [
  ...['date', 'connection', 'keep-alive', 'x-request-id', 'content-length', 'transfer-encoding', 'vary'],
  'content-encoding',
];

it.each(CALLS)('%s is answered the same by both', async (_, method, path, body, headers) => {
  const answers = await Promise.all(
    products.map(async ({ origin }) => {
      const sent = new Headers({
        Authorization: 'Bearer test-admin-token-0123456789-0123456789',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      });
      if (sent.get('authorization') === '') sent.delete('authorization');
      const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
      const init = { method, headers: sent, redirect: 'manual' as const };
      const answer = await fetch(`${origin}${path}`, text === undefined ? init : { ...init, body: text });
      expect(answer.headers.get('x-request-id')).toMatch(/^[\w.-]{8,}$/);
      const fields = [...answer.headers].filter(([name]) => !OF_THE_ROAD.includes(name));
      const said = (await answer.text()).replaceAll(origin, 'http://origin');
      return { status: answer.status, fields: Object.fromEntries(fields), said };
    }),
  );
  expect(answers[0]).toEqual(answers[1]);
});

it('passes Next by, which would name its own headers in Vary', async () => {
  const vary = async ({ admin }: Product, path: string, identifier: string) =>
    (await admin('POST', path, entry(identifier))).headers.get('vary');
  const [own, next] = products;
  if (own === undefined || next === undefined) throw new Error('They did not start.');
  expect(await vary(own, ENTRY, '192.0.2.7')).toBeNull();
  expect(await vary(next, ENTRY, '192.0.2.7')).toContain('rsc');
  expect(await vary(own, '/v1/admin/rate%2Dlimit/allowlist', '192.0.2.8')).toBeNull();
});
