import { once } from 'node:events';
import { get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ADMIN_TOKEN } from '../fixtures/product';
import { product, productSuite, someone } from '../fixtures/product-suite';

const DOCUMENTED = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-ratelimit-status',
  'x-quota-limit',
  'x-quota-remaining',
  'x-quota-reset',
  'retry-after',
];

function ask(headers: Record<string, string>, path = '/v1/forward-auth', method = 'GET'): Promise<Response> {
  return fetch(`${product.origin}${path}`, { method, headers: { 'X-Admin-Token': ADMIN_TOKEN, ...headers } });
}

/** As a proxy asks for its client. */
const about = (ip: string, method = 'GET', uri = '/api/x') => ({
  'X-Forwarded-For': ip,
  'X-Forwarded-Method': method,
  'X-Forwarded-Uri': uri,
});

const remaining = (response: Response) => Number(response.headers.get('x-ratelimit-remaining'));

async function exhaust(ip: string): Promise<void> {
  for (let index = 0; index < 10; index += 1) expect((await ask(about(ip, 'POST', '/auth/token'))).status).toBe(200);
}

productSuite({ SLUICE_TRUSTED_PROXIES: '10.0.0.0/8', SLUICE_USER_HEADER: 'X-Verified-User' });

describe('/v1/forward-auth', () => {
  it('answers 200 without a body and with every header it documents', async () => {
    for (const method of ['GET', 'POST', 'HEAD']) {
      const response = await ask(about(someone()), '/v1/forward-auth', method);
      expect(response.status).toBe(200);
      expect(await response.text()).toBe('');
      for (const name of DOCUMENTED) expect(response.headers.has(name), name).toBe(true);
      expect(response.headers.get('x-ratelimit-limit')).toBe('100');
      expect(response.headers.get('x-ratelimit-remaining')).toBe('99');
      expect(response.headers.get('retry-after')).toBe('');
      expect(response.headers.get('x-quota-limit')).toBe('');
      expect(response.headers.has('ratelimit')).toBe(false);
    }
  });

  it('answers a refusal with the body and the headers of enforcement, and all the others', async () => {
    const ip = someone();
    await exhaust(ip);
    const response = await ask(about(ip, 'POST', '/auth/token'));
    expect(response.status).toBe(429);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual({
      error: 'rate_limit_exceeded',
      error_description: 'Too many requests from this address.',
    });
    for (const name of DOCUMENTED) expect(response.headers.has(name), name).toBe(true);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(response.headers.get('x-ratelimit-remaining')).toBe('0');
  });

  it('answers nginx 403 with the status and the body in headers', async () => {
    const ip = someone();
    await exhaust(ip);
    const path = '/v1/forward-auth?proxy=nginx';
    const response = await ask({ ...about(ip, 'POST', '/auth/token'), Accept: 'application/problem+json' }, path);
    expect(response.status).toBe(403);
    expect(response.headers.get('x-rl-status')).toBe('429');
    expect(JSON.parse(response.headers.get('x-rl-body') ?? '')).toMatchObject({ error: 'rate_limit_exceeded' });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const admitted = await ask(about(someone()), path);
    expect(admitted.status).toBe(200);
    expect(admitted.headers.get('x-rl-status')).toBe('200');
    const unknown = await ask({ ...about(someone()), 'X-API-Key': 'slk_unknown' }, path);
    expect(unknown.status).toBe(403);
    expect(unknown.headers.get('x-rl-status')).toBe('401');
  });

  it('passes over a query that a proxy appends', async () => {
    const response = await ask(about(someone()), '/v1/forward-auth?a=1&a=2&user_id=x');
    expect(response.status).toBe(200);
  });

  it('decides by the method and the path that the proxy tells, without its query', async () => {
    const limitOf = async (method: string, uri: string) =>
      (await ask(about(someone(), method, uri))).headers.get('x-ratelimit-limit');
    expect(await limitOf('GET', '/api/x')).toBe('100');
    expect(await limitOf('DELETE', '/api/x')).toBe('50');
    expect(await limitOf('GET', '/auth/authorize?client_id=x')).toBe('10');
    expect(await limitOf('GET', '/api/..%2fauth/token')).toBe('10');
    expect(await limitOf('GET', 'https://app.example.com/auth/token')).toBe('10');
    expect(await limitOf('GET', '/api/x?/auth/token')).toBe('100');
  });

  it('refuses a header that came twice with different values', async () => {
    for (const [name, first, second] of [
      ['X-Forwarded-Method', 'GET', 'POST'],
      ['X-Forwarded-Uri', '/api/x', '/auth/token'],
      ['X-Verified-User', 'alice', 'mallory'],
    ] as const) {
      const headers = { 'X-Admin-Token': ADMIN_TOKEN, [name]: [first, second] };
      const [answer] = await once(get(`${product.origin}/v1/forward-auth`, { headers }), 'response');
      answer.resume();
      expect(answer.statusCode, name).toBe(400);
    }
  });

  it('refuses an invalid method', async () => {
    const response = await ask(about(someone(), 'G T'));
    expect(response.status).toBe(400);
  });
});

describe('the client of a proxy', () => {
  it('is the last of the chain that is not a trusted proxy', async () => {
    const ip = someone();
    expect(remaining(await ask(about(ip)))).toBe(99);
    expect(remaining(await ask(about(`203.0.113.9, ${ip}`)))).toBe(98);
    expect(remaining(await ask(about(`203.0.113.9, ${ip}, 10.1.2.3`)))).toBe(97);
    expect(remaining(await ask(about(`${ip}:4711`)))).toBe(96);
    expect(remaining(await ask(about('203.0.113.9')))).toBe(99);
  });

  it('is the caller itself where no chain is told', async () => {
    const first = await ask({ 'X-Forwarded-Method': 'GET', 'X-Forwarded-Uri': '/x' });
    expect(first.status).toBe(200);
    expect(remaining(await ask({ 'X-Forwarded-Method': 'GET', 'X-Forwarded-Uri': '/x' }))).toBe(remaining(first) - 1);
  });

  it('is counted by its API key too, and told its quota', async () => {
    const created = await product.admin('POST', '/v1/admin/api-keys', { name: 'through a proxy', tier: 'starter' });
    const { id, secret } = (await created.json()) as { id: string; secret: string };
    const response = await ask({ ...about(someone()), 'X-API-Key': secret });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-quota-limit')).toBe('10000');
    expect(response.headers.get('x-quota-remaining')).toBe('9999');
    const byId = await ask({ ...about(someone()), 'X-API-Key': id });
    expect(byId.status).toBe(401);
    expect(byId.headers.get('www-authenticate')).toBe('ApiKey realm="sluice"');
    expect(await byId.json()).toMatchObject({ error: 'invalid_api_key' });
    const both = await ask({ ...about(someone()), 'X-API-Key': `${secret}, slk_other` });
    expect(both.status).toBe(400);
    expect(await both.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('is a user only by the header that the operator chose', async () => {
    const entry = { type: 'user_id', identifier: 'jürgen', reason: 'test' };
    expect((await product.admin('POST', '/v1/admin/rate-limit/allowlist', entry)).status).toBe(200);
    const bytes = Buffer.from('jürgen', 'utf8').toString('latin1');
    const named = await ask({ ...about(someone()), 'X-Verified-User': bytes });
    expect(named.headers.get('x-ratelimit-status')).toBe('bypassed');
    expect(named.headers.get('x-ratelimit-limit')).toBe('');
    for (const name of ['X-User-Id', 'X-Remote-User']) {
      expect((await ask({ ...about(someone()), [name]: bytes })).headers.get('x-ratelimit-status')).toBe('');
    }
    const path = '/v1/forward-auth?user_header=X-User-Id';
    expect((await ask({ ...about(someone()), 'X-User-Id': bytes }, path)).headers.get('x-ratelimit-status')).toBe('');
    expect((await ask({ ...about(someone()), 'X-Verified-User': 'x'.repeat(257) })).status).toBe(400);
  });
});

describe("Envoy's external authorization", () => {
  const asEnvoy = (method: string, path: string, ip = someone()) =>
    ask({ 'X-Forwarded-For': ip }, `/v1/forward-auth/envoy${path}`, method);

  it('repeats the method and the path of its client', async () => {
    const limitOf = async (method: string, path: string) =>
      (await asEnvoy(method, path)).headers.get('x-ratelimit-limit');
    expect(await limitOf('GET', '/api/x?y=1')).toBe('100');
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(await limitOf(method, '/api/x')).toBe('50');
    // OPTIONS is safe (RFC 9110 9.2.1).
    for (const method of ['HEAD', 'OPTIONS']) expect(await limitOf(method, '/')).toBe('100');
    expect(await limitOf('GET', '/auth/token')).toBe('10');
  });

  it('leaves no say to the client', async () => {
    const ip = someone();
    await exhaust(ip);
    const response = await ask(
      { ...about(ip), 'X-Forwarded-Uri': '/api/x' },
      '/v1/forward-auth/envoy/auth/token?proxy=nginx',
    );
    expect(response.status).toBe(429);
  });

  it('is 405 by other methods at the door of the others', async () => {
    const response = await ask(about(someone()), '/v1/forward-auth', 'PUT');
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
  });
});
