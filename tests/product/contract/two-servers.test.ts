import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Product, startProduct } from '../../fixtures/product';

/** The API as `server.mjs` answers it, and as Next does alone. */
let products: Product[];

beforeAll(async () => {
  const env = { SLUICE_PUBLIC_URL: 'https://sluice.example.com' };
  products = await Promise.all([startProduct({ env }), startProduct({ env, entry: 'next start' })]);
});
afterAll(async () => {
  for (const product of products) await product.stop();
});

const ENTRY = '/v1/admin/rate-limit/allowlist';
const entry = (identifier: string) => ({ type: 'ip', identifier, reason: 'test' });
const NO_TOKEN = { Authorization: '' };
const FORWARDED = { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Uri': '/api/orders', 'X-Forwarded-For': '203.0.113.9' };

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
  ['a list', 'GET', ENTRY],
  ['a list as a page', 'GET', `${ENTRY}?limit=1`],
  ['a list as a download', 'GET', `${ENTRY}?format=csv`],
  ['a long answer', 'GET', '/v1/openapi.json'],
  ['a schema', 'GET', '/v1/state.schema.json'],
  ['text', 'GET', '/v1/admin/gateways/nginx'],
  ['a head', 'HEAD', ENTRY],
  ['the methods', 'OPTIONS', ENTRY],
  ['a read without credentials', 'GET', ENTRY, undefined, NO_TOKEN],
  ['a wrong type of a read', 'GET', `${ENTRY}?limit=none`],
  ['metrics without credentials', 'GET', '/metrics', undefined, NO_TOKEN],
  ['a method of metrics', 'POST', '/metrics', {}],
  ['no such path', 'GET', '/v1/nowhere'],
  ['the root', 'GET', '/v1'],
  ['a slash at the end', 'GET', `${ENTRY}/`],
  ['a slash at the end of a change', 'POST', `${ENTRY}/`, entry('192.0.2.10')],
  ['two slashes', 'GET', '/v1//admin/rate-limit/allowlist'],
  ['an escape that is no UTF-8 in a query', 'GET', `${ENTRY}?q=%ff`],
  ['an escaped slash', 'GET', '/v1/admin%2Frate-limit/allowlist'],
  ['another letter case', 'GET', '/v1/Admin/rate-limit/allowlist'],
  ['a check', 'POST', '/v1/check', { class: 'read', ip: '203.0.113.1' }],
  ['a wrong check', 'POST', '/v1/check', { class: 'read', nothing: 1 }],
  ['a check without credentials', 'POST', '/v1/check', { class: 'read', ip: '203.0.113.1' }, NO_TOKEN],
  ['a batch', 'POST', '/v1/check/batch', [{ class: 'auth', ip: '203.0.113.2' }]],
  ['an unknown refund', 'POST', '/v1/refund', { id: 'none' }],
  ['methods of a check', 'OPTIONS', '/v1/check'],
  ['a method that a check has not', 'GET', '/v1/check'],
  ['a gateway', 'GET', '/v1/forward-auth', undefined, FORWARDED],
  ['a gateway that is refused', 'GET', '/v1/forward-auth?cost=1000', undefined, FORWARDED],
  ['Envoy', 'DELETE', '/v1/forward-auth/envoy/api/orders', undefined, FORWARDED],
];

const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z|(?<="reset":)\d+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

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
      const shown = fields.map(([name, value]) => [
        name,
        // The two may answer in different seconds.
        name.endsWith('-reset') || name === 'retry-after' ? 'time' : value.replace(/(?<=cursor=)[^>]+/, 'cursor'),
      ]);
      const said = (await answer.text()).replaceAll(origin, 'http://origin').replaceAll(TIME, 'time');
      return { status: answer.status, fields: Object.fromEntries(shown), said };
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

describe('long answers', () => {
  it.each([['/v1/openapi.json'], ['/v1/state.schema.json']])('%s is compressed for whom asks for it', async (path) => {
    for (const { origin } of products) {
      const answer = await fetch(origin + path, { headers: { 'Accept-Encoding': 'gzip' } });
      expect([answer.headers.get('content-encoding'), answer.headers.get('vary')]).toEqual([
        'gzip',
        expect.stringMatching(/accept-encoding/i),
      ]);
      expect(Object.keys((await answer.json()) as object).length).toBeGreaterThan(1);
    }
  });

  it('a stream comes part by part, compressed or not', async () => {
    for (const product of products) {
      for (const coding of ['gzip', 'identity']) {
        const leaving = new AbortController();
        const stream = await fetch(`${product.origin}/v1/admin/decisions`, {
          headers: {
            Authorization: 'Bearer test-admin-token-0123456789-0123456789',
            Accept: 'text/event-stream',
            'Accept-Encoding': coding,
          },
          signal: leaving.signal,
        });
        expect(stream.headers.get('content-type')).toContain('text/event-stream');
        const reader = stream.body?.getReader();
        const first = await Promise.race([
          reader?.read(),
          new Promise<null>((resolve) => setTimeout(() => resolve(null), 20_000)),
        ]);
        expect(first?.value?.byteLength).toBeGreaterThan(0);
        leaving.abort();
      }
    }
  });
});

describe('security headers', () => {
  const SECURITY = [
    ...['content-security-policy', 'x-content-type-options', 'x-frame-options', 'referrer-policy'],
    ...['cross-origin-opener-policy', 'permissions-policy', 'strict-transport-security'],
  ];
  const OF_API = {
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  };
  const TLS = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' };
  const OF_PAGES = { ...OF_API, ...TLS, 'content-security-policy': expect.stringContaining("'nonce-") };

  const KINDS: [title: string, method: string, path: string, expected: object, headers?: Record<string, string>][] = [
    ['a page', 'GET', '/sign-in', OF_PAGES],
    ['no such page', 'GET', '/nowhere', OF_PAGES],
    ['a read', 'GET', ENTRY, { ...OF_API, ...TLS }],
    ['a read without credentials', 'GET', ENTRY, { ...OF_API, ...TLS }, NO_TOKEN],
    ['methods', 'OPTIONS', ENTRY, { ...OF_API, ...TLS }],
    ['no such operation', 'GET', '/v1/nowhere', { ...OF_API, ...TLS }],
    ['metrics', 'GET', '/metrics', { ...OF_API, ...TLS }],
    ['health', 'GET', '/healthz', { ...OF_API, ...TLS }],
    ['readiness', 'GET', '/readyz', { ...OF_API, ...TLS }],
    ['a check that is refused', 'POST', '/v1/check', { ...OF_API, ...TLS }, NO_TOKEN],
    ['methods of a check', 'OPTIONS', '/v1/check', { ...OF_API, ...TLS }],
    // A gateway passes this on to its own clients, whose host is another one.
    ['a gateway', 'GET', '/v1/forward-auth', OF_API, FORWARDED],
    ['a gateway that is refused', 'GET', '/v1/forward-auth?cost=1000', OF_API, FORWARDED],
    ['a method of a page', 'PUT', '/sign-in', OF_API],
    ['a limit', 'POST', '/auth/nowhere', OF_API],
  ];

  it.each(KINDS)('of %s are the same', async (_, method, path, expected, headers) => {
    for (const { origin } of products) {
      const sent = new Headers({ Authorization: 'Bearer test-admin-token-0123456789-0123456789', ...headers });
      if (sent.get('authorization') === '') sent.delete('authorization');
      const answer = await fetch(origin + path, { method, headers: sent });
      const fields = SECURITY.flatMap((name) => {
        const value = answer.headers.get(name);
        return value === null ? [] : [[name, value]];
      });
      expect(Object.fromEntries(fields)).toEqual(expected);
    }
  });

  const BROKEN: [title: string, status: number, request: string][] = [
    ['no HTTP', 400, 'nonsense\r\n\r\n'],
    ['a large head', 431, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`],
    ['a file that is not there', 404, 'GET /_next/static/none.js HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ];

  const HEAD = 'GET / HTTP/1.1\r\nHost: a';
  /** Faults of heads that Node can parse. */
  const FAULTS: [title: string, status: number, request: string][] = [
    ['a wrong host', 400, 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n'],
    ['two hosts', 400, `${HEAD}\r\nHost: b\r\n\r\n`],
    ['a wrong path', 400, 'GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a NUL', 400, 'GET /v1/admin/api-keys/%00 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a fragment', 400, 'GET /v1/openapi.json#x HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a target with a host', 400, 'GET http://b/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['another coding', 400, 'POST /v1/check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['a large body', 413, 'POST /v1/check HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n'],
    ['a method of no route', 405, 'PROPFIND / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a trace', 405, 'TRACE /v1/admin/audit HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['too many fields', 431, `${HEAD}\r\n${'x: y\r\n'.repeat(250)}\r\n`],
  ];

  async function sendText(port: number, request: string) {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(request));
      let answer = '';
      socket.setEncoding('latin1').on('data', (part) => {
        answer += part;
      });
      socket.once('error', reject).once('close', () => resolve(answer));
    });
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const [first = '', ...lines] = head.split('\r\n');
    const fields = lines.map(
      (line) => [line.split(': ')[0]?.toLowerCase(), line.slice(line.indexOf(': ') + 2)] as const,
    );
    return { status: Number(first.split(' ')[1]), body, fields: Object.fromEntries(fields) };
  }

  const pickSecurity = (fields: Record<string, string>) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => SECURITY.includes(name)));

  it.each(BROKEN)('are in the answer of the server to %s', async (_, status, request) => {
    const answer = await sendText(products[0]?.port ?? 0, request);
    expect(answer.status).toBe(status);
    expect(pickSecurity(answer.fields)).toEqual(OF_API);
  });

  it.each(FAULTS)('are in the answers of both to %s, which are the same', async (_, status, request) => {
    const [own, next] = await Promise.all(products.map(({ port }) => sendText(port, request)));
    for (const answer of [own, next]) {
      expect(answer?.fields['x-request-id']).toBeTruthy();
      expect(pickSecurity(answer?.fields ?? {})).toEqual(OF_API);
    }
    expect([own?.status, JSON.parse(own?.body ?? '').error]).toEqual([status, expect.any(String)]);
    expect([next?.status, next?.body, next?.fields.allow]).toEqual([own?.status, own?.body, own?.fields.allow]);
  });
});
