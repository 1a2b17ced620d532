import { describe, expect, it } from 'vitest';
import { newKey, product, productSuite, someone } from '../../fixtures/product-suite';
import { answerToBytes } from '../../fixtures/wire';

/** Calls as somebody behind the trusted proxy. */
function as(address: string, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${product.origin}${path}`, {
    redirect: 'manual',
    ...init,
    headers: { 'X-Forwarded-For': address, ...(init.headers as Record<string, string> | undefined) },
  });
}

const remaining = (response: Response) => Number(response.headers.get('x-ratelimit-remaining'));

productSuite({ SLUICE_TRUSTED_PROXIES: '127.0.0.1' });

describe('the limit of an address', () => {
  it('admits exactly 10 requests of class auth in 60 s, and says so on every answer', async () => {
    const me = someone();
    for (let index = 1; index <= 10; index += 1) {
      const askedAt = Date.now();
      const response = await as(me, '/auth/token', { method: 'POST' });
      expect(response.status).not.toBe(429);
      expect(response.headers.get('x-ratelimit-limit')).toBe('10');
      expect(remaining(response)).toBe(10 - index);
      expect(Number(response.headers.get('x-ratelimit-reset'))).toBeGreaterThan(askedAt / 1000 + 50);
    }
    const refused = await as(me, '/auth/token', { method: 'POST' });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: 'rate_limit_exceeded' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(61);
    expect(remaining(refused)).toBe(0);
    expect(refused.headers.get('x-request-id')).toBeTruthy();
    expect((await as(someone(), '/auth/token', { method: 'POST' })).status).not.toBe(429);
  });

  it('holds under 300 requests at once', async () => {
    const me = someone();
    const answers = await Promise.all(Array.from({ length: 300 }, () => as(me, '/api/data')));
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status !== 429)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(200);
  });

  it('counts reads and writes apart, HEAD as a read', async () => {
    const me = someone();
    expect(remaining(await as(me, '/api/data'))).toBe(99);
    expect(remaining(await as(me, '/api/data', { method: 'HEAD' }))).toBe(98);
    expect(remaining(await as(me, '/api/data', { method: 'POST' }))).toBe(49);
  });

  it('counts an IPv6 /64 as one', async () => {
    expect(remaining(await as('2001:db8:1:2::1', '/api/data'))).toBe(99);
    expect(remaining(await as('2001:db8:1:2:ffff::9', '/api/data'))).toBe(98);
    expect(remaining(await as('2001:db8:1:3::1', '/api/data'))).toBe(99);
  });

  it('also speaks problem details', async () => {
    const me = someone();
    for (let index = 0; index < 10; index += 1) await as(me, '/auth/token', { method: 'POST' });
    const refused = await as(me, '/auth/token', { method: 'POST', headers: { Accept: 'application/problem+json' } });
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    expect(await refused.json()).toMatchObject({
      error: 'rate_limit_exceeded',
      status: 429,
      title: 'Too Many Requests',
      'violated-policies': ['ip'],
    });
  });
});

describe('no way round', () => {
  it.each([
    [
      'a header that claims an address',
      '/api/data',
      { 'X-Real-IP': '9.9.9.9', Forwarded: 'for=9.9.9.9', 'X-Sluice-Peer': '9.9.9.9', 'X-Client-IP': '9.9.9.9' },
    ],
    ['a longer chain', '/api/data', { 'X-Forwarded-For': '9.9.9.9, ME' }],
    ['letter case', '/API/data', {}],
    ['an encoded letter', '/%61pi/data', {}],
    ['an encoded slash', '/api%2Fdata', {}],
    ['the router header', '/api/data', { RSC: '1', 'Next-Router-Prefetch': '1', Purpose: 'prefetch' }],
    [
      'the sub-request header',
      '/api/data',
      { 'x-middleware-subrequest': 'proxy:proxy:proxy:proxy:proxy', 'x-middleware-next': '1' },
    ],
    ['the invoke header', '/api/data', { 'x-invoke-path': '/', 'x-matched-path': '/', 'x-nextjs-data': '1' }],
    ['a query', '/api/data?a=/../x', {}],
  ])('%s', async (_, path, headers) => {
    const me = someone();
    for (let index = 0; index < 3; index += 1) await as(me, '/api/data');
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('ME', me)]));
    const response = await as(me, path, { headers: given as Record<string, string> });
    expect(response.status).not.toBe(308);
    expect(remaining(response)).toBe(96);
  });

  it.each(['/api/data/', '//api/data', '/api//data', '/api/./data', '/x/../api/data'])(
    '%s is decided, or sent where it is decided',
    async (path) => {
      const me = someone();
      await as(me, '/api/data');
      const [status, head] = await raw(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${me}\r\nConnection: close\r\n\r\n`,
      );
      if (status === 307 || status === 308) expect(head).toMatch(/location: \/api\/data/i);
      else expect(head).toMatch(/x-ratelimit-remaining: 98/i);
    },
  );

  it.each([
    ['TRACE / HTTP/1.1', 405],
    ['GET /%zz HTTP/1.1', 400],
    ['GET /%00 HTTP/1.1', 400],
    ['GET /api/%ff HTTP/1.1', 400],
    ['GET http://evil.example/api/data HTTP/1.1', 400],
  ])('%s is answered %i with our error body', async (line, expected) => {
    const [status, head, body] = await raw(`${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(status).toBe(expected);
    expect(head).toMatch(/x-request-id/i);
    expect(JSON.parse(body)).toMatchObject({ error: expect.any(String), error_description: expect.any(String) });
  });
});

describe('clients and keys', () => {
  it('count all classes of a confidential key together: 100 in 60 s', async () => {
    const { secret } = await newKey({ tier: 'starter' });
    const statuses: number[] = [];
    for (let index = 0; index < 4; index += 1) {
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => as(someone(), '/api/data', { headers: { 'X-API-Key': secret } })),
      );
      statuses.push(...answers.map((answer) => answer.status));
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    const refused = await as(someone(), '/api/data', { method: 'POST', headers: { 'X-API-Key': secret } });
    expect(await refused.json()).toMatchObject({ error: 'client_rate_limit_exceeded' });
  });

  it('refuse an unknown key', async () => {
    const response = await as(someone(), '/api/data', { headers: { 'X-API-Key': 'slk_nonsense' } });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: 'invalid_api_key' });
  });

  it('refuse two different keys, and a key beside an OAuth client', async () => {
    const [first, second] = [await newKey(), await newKey()];
    const both = await as(someone(), '/api/data', { headers: { 'X-API-Key': `${first.secret}, ${second.secret}` } });
    expect(both.status).toBe(400);
    expect(await both.json()).toMatchObject({ error: 'invalid_request' });
    const mixed = await as(someone(), '/auth/token?client_id=demo-client', {
      method: 'POST',
      headers: { 'X-API-Key': first.secret },
    });
    expect(mixed.status).toBe(400);
  });

  it('tell quota and rest, and consume nothing when an address is refused', async () => {
    const { id, secret } = await newKey();
    const me = someone();
    const headers = { 'X-API-Key': secret };
    for (let index = 1; index <= 10; index += 1) {
      const response = await as(me, '/auth/jwks', { headers });
      expect(response.headers.get('x-quota-limit')).toBe('1000');
      expect(response.headers.get('x-quota-remaining')).toBe(String(1000 - index));
    }
    expect((await as(me, '/auth/jwks', { headers })).status).toBe(429);
    const usage = await (await product.admin('GET', `/v1/admin/rate-limit/quota/${id}`)).json();
    expect(usage).toMatchObject({ api_key_id: id, tier: 'free', usage: 10, limit: 1000, remaining: 990 });
  });

  it('refuse beyond the quota, at once after the tier was changed', async () => {
    expect((await product.admin('PATCH', '/v1/admin/policies', { tiers: { free: 3 } })).status).toBe(200);
    const { id, secret } = await newKey();
    const call = () => as(someone(), '/api/data', { headers: { 'X-API-Key': secret } });
    for (let index = 0; index < 3; index += 1) expect((await call()).status).not.toBe(429);
    const refused = await call();
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: 'quota_exceeded' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await product.admin('PUT', `/v1/admin/rate-limit/quota/${id}/tier`, { tier: 'starter' })).status).toBe(200);
    expect((await call()).headers.get('x-quota-remaining')).toBe('9996');
    expect((await product.admin('PATCH', '/v1/admin/policies', { tiers: { free: 1000 } })).status).toBe(200);
  });
});

describe('changes apply to the very next request', () => {
  it('of the allowlist, by address and by range', async () => {
    const me = someone();
    for (let index = 0; index < 10; index += 1) await as(me, '/auth/jwks');
    expect((await as(me, '/auth/jwks')).status).toBe(429);
    const entry = { type: 'ip', identifier: `${me}/31`, reason: 'on call' };
    expect((await product.admin('POST', '/v1/admin/rate-limit/allowlist', entry)).status).toBe(200);
    const bypassed = await as(me, '/auth/jwks');
    expect(bypassed.status).toBe(200);
    expect(bypassed.headers.get('x-ratelimit-status')).toBe('bypassed');
    expect(bypassed.headers.get('x-ratelimit-limit')).toBeNull();
    expect(
      (await product.admin('DELETE', '/v1/admin/rate-limit/allowlist', { type: 'ip', identifier: `${me}/31` })).status,
    ).toBe(204);
    expect((await as(me, '/auth/jwks')).status).toBe(429);
  });

  it('of counters', async () => {
    const me = someone();
    for (let index = 0; index < 11; index += 1) await as(me, '/auth/jwks');
    await as(me, '/api/data');
    expect(
      (await product.admin('POST', '/v1/admin/rate-limit/reset', { type: 'ip', identifier: me, class: 'auth' })).status,
    ).toBe(204);
    expect(remaining(await as(me, '/auth/jwks'))).toBe(9);
    expect(remaining(await as(me, '/api/data'))).toBe(98);
    expect((await product.admin('POST', '/v1/admin/rate-limit/reset', { type: 'ip', identifier: me })).status).toBe(
      204,
    );
    expect(remaining(await as(me, '/api/data'))).toBe(99);
  });

  it('of overrides and route rules', async () => {
    const me = someone();
    const override = { type: 'ip', identifier: me, class: 'read', limit: 2, window_seconds: 10, reason: 'noisy' };
    expect((await product.admin('PUT', '/v1/admin/rate-limit/overrides', override)).status).toBe(200);
    expect((await as(me, '/api/data')).headers.get('x-ratelimit-limit')).toBe('2');
    const rules = [{ method: 'GET', path: '/api/data', class: 'sensitive', cost: 7 }];
    expect((await product.admin('PUT', '/v1/admin/route-rules', rules)).status).toBe(200);
    const other = await as(someone(), '/api/data');
    expect(other.headers.get('x-ratelimit-limit')).toBe('30');
    expect(remaining(other)).toBe(23);
    expect((await product.admin('PUT', '/v1/admin/route-rules', [])).status).toBe(200);
    expect(remaining(await as(someone(), '/api/data'))).toBe(99);
  });
});

/** Sends bytes and answers status, head and body. */
async function raw(request: string): Promise<[number, string, string]> {
  const [head = '', ...body] = (await answerToBytes(product.port, request)).split('\r\n\r\n');
  return [Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body.join('\r\n\r\n')];
}
