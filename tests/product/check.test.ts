import { beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN } from '../fixtures/product';
import { someone } from '../fixtures/product-suite';
import { newKey, product, sharedSuite } from '../fixtures/shared-suite';

let gateway: string;

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${product.origin}${path}`, {
    method: 'POST',
    headers: { 'X-Admin-Token': gateway, 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
async function check(body: unknown): Promise<any> {
  const response = await post('/v1/check', body);
  expect(response.status).toBe(200);
  return response.json();
}

async function newToken(role: string): Promise<string> {
  const response = await product.admin('POST', '/v1/admin/tokens', { name: `${role} ${someone()}`, role });
  expect(response.status).toBe(201);
  return ((await response.json()) as { token: string }).token;
}

sharedSuite();
beforeAll(async () => {
  gateway = await newToken('gateway');
});

describe('POST /v1/check', () => {
  it('answers 200 with the tightest limit, and 200 again when it refuses', async () => {
    const ip = someone();
    for (let index = 1; index <= 10; index += 1) {
      const askedAt = Date.now();
      const result = await check({ class: 'auth', ip });
      expect(result).toEqual({
        allowed: true,
        class: 'auth',
        limit: 10,
        remaining: 10 - index,
        reset: expect.any(Number),
      });
      expect(result.reset).toBeGreaterThan(askedAt / 1000 + 50);
    }
    const refused = await check({ class: 'auth', ip });
    expect(refused).toMatchObject({ allowed: false, error: 'rate_limit_exceeded', limit: 10, remaining: 0 });
    expect(refused.retry_after).toBeGreaterThanOrEqual(1);
    expect(refused.retry_after).toBeLessThanOrEqual(61);
    expect(await check({ class: 'read', ip })).toMatchObject({ allowed: true, remaining: 99 });
  });

  it('admits exactly the limit of 300 checks at once', async () => {
    const ip = someone();
    const results = await Promise.all(Array.from({ length: 300 }, () => check({ class: 'write', ip })));
    expect(results.filter(({ allowed }) => allowed)).toHaveLength(50);
  });

  it('knows the class of a method and a path, in any spelling', async () => {
    expect(await check({ method: 'GET', path: '/api/x?q=1', ip: someone() })).toMatchObject({ class: 'read' });
    expect(await check({ method: 'delete', path: '/api/x', ip: someone() })).toMatchObject({ class: 'write' });
    expect(await check({ method: 'POST', path: '//%61uth/./token', ip: someone() })).toMatchObject({ class: 'auth' });
  });

  it('counts by route rules, class and cost, from the very next decision', async () => {
    const rules = [{ method: '*', path: '/reports/*', class: 'sensitive', cost: 10 }];
    expect((await product.admin('PUT', '/v1/admin/route-rules', rules)).status).toBe(200);
    expect(await check({ method: 'GET', path: '/reports/7', ip: someone() })).toMatchObject({
      class: 'sensitive',
      remaining: 20,
    });
    expect(await check({ method: 'GET', path: '/reports/7', ip: someone(), cost: 3 })).toMatchObject({ remaining: 27 });
    expect((await product.admin('PUT', '/v1/admin/route-rules', [])).status).toBe(200);
    expect(await check({ method: 'GET', path: '/reports/7', ip: someone() })).toMatchObject({
      class: 'read',
      remaining: 99,
    });
  });

  it('is all or nothing over address, client and user', async () => {
    const [ip, other] = [someone(), someone()];
    const user = `user ${ip}`;
    for (let index = 0; index < 10; index += 1) await check({ class: 'auth', ip, user_id: user });
    expect(await check({ class: 'auth', ip, user_id: user })).toMatchObject({ error: 'rate_limit_exceeded' });
    expect(await check({ class: 'auth', user_id: user })).toMatchObject({ limit: 50, remaining: 39 });
    for (let index = 0; index < 30; index += 1) await check({ class: 'read', ip: other, client_id: `app ${ip}` });
    const refused = await check({ class: 'read', ip: other, client_id: `app ${ip}` });
    expect(refused).toMatchObject({ allowed: false, error: 'client_rate_limit_exceeded', limit: 30, remaining: 0 });
    expect(await check({ class: 'read', ip: other })).toMatchObject({ allowed: true, remaining: 69 });
    expect(await check({ class: 'read', client_id: `sure ${ip}`, client_type: 'confidential' })).toMatchObject({
      limit: 100,
    });
  });

  it('counts IPv6 by /64 and IPv4 in every spelling', async () => {
    expect(await check({ class: 'read', ip: '2001:db8:77::1' })).toMatchObject({ remaining: 99 });
    expect(await check({ class: 'read', ip: '2001:0DB8:77:0::ffff' })).toMatchObject({ remaining: 98 });
    expect(await check({ class: 'read', ip: '192.0.2.101' })).toMatchObject({ remaining: 99 });
    expect(await check({ class: 'read', ip: '::ffff:192.0.2.101' })).toMatchObject({ remaining: 98 });
  });

  it('takes a key by its secret or its uuid, and tells its quota', async () => {
    const { id, secret } = await newKey();
    const askedAt = Date.now();
    const first = await check({ class: 'read', api_key: secret });
    expect(first).toMatchObject({ allowed: true, limit: 100, remaining: 99, quota: { limit: 1000, remaining: 999 } });
    expect(first.quota.reset).toBeGreaterThan(askedAt / 1000);
    expect(await check({ class: 'read', api_key: id.toUpperCase() })).toMatchObject({ quota: { remaining: 998 } });
    expect((await product.admin('DELETE', `/v1/admin/api-keys/${id}`)).status).toBe(204);
    for (const api_key of [id, secret, 'slk_unknown', '00000000-0000-4000-8000-000000000000']) {
      const refused = await check({ class: 'read', ip: someone(), api_key });
      expect(refused).toMatchObject({ allowed: false, error: 'invalid_api_key' });
      expect(refused).not.toHaveProperty('retry_after');
      expect(refused).not.toHaveProperty('quota');
    }
  });

  it('bypasses for who is on the allowlist, from the very next decision', async () => {
    const ip = someone();
    const user = `bypassing ${ip}`;
    for (const [type, identifier] of [
      ['ip', ip],
      ['user_id', user],
    ]) {
      const entry = { type, identifier, reason: 'test' };
      expect((await product.admin('POST', '/v1/admin/rate-limit/allowlist', entry)).status).toBe(200);
    }
    const bypassed = { allowed: true, status: 'bypassed', class: 'auth', limit: null, remaining: null, reset: null };
    for (let index = 0; index < 12; index += 1) expect(await check({ class: 'auth', ip })).toEqual(bypassed);
    expect(await check({ class: 'auth', ip: someone(), user_id: user })).toEqual(bypassed);
    const entry = { type: 'ip', identifier: ip };
    expect((await product.admin('DELETE', '/v1/admin/rate-limit/allowlist', entry)).status).toBe(204);
    expect(await check({ class: 'auth', ip })).toMatchObject({ allowed: true, remaining: 9 });
  });

  it('is not counted by the throttle of the instance', async () => {
    const patch = { global: { limit: 5, window_seconds: 60 } };
    expect((await product.admin('PATCH', '/v1/admin/policies', patch)).status).toBe(200);
    const results = await Promise.all(Array.from({ length: 60 }, () => check({ class: 'read', ip: someone() })));
    expect(results.every(({ allowed }) => allowed)).toBe(true);
    const back = { global: { limit: 1000, window_seconds: 1 } };
    expect((await product.admin('PATCH', '/v1/admin/policies', back)).status).toBe(200);
  });

  it('leaves a refusal in the record of decisions', async () => {
    const ip = someone();
    const id = `check-${Date.now()}`;
    for (let index = 0; index < 11; index += 1) {
      await post('/v1/check', { class: 'auth', method: 'POST', path: '/login', ip }, { 'X-Request-Id': id });
    }
    await expect
      .poll(async () => (await (await product.admin('GET', '/v1/admin/decisions')).text()).includes(ip))
      .toBe(true);
  });
});

describe('POST /v1/check/batch', () => {
  it('decides in order, as if one came after the other', async () => {
    const ip = someone();
    const checks = Array.from({ length: 12 }, () => ({ class: 'auth', ip }));
    const response = await post('/v1/check/batch', [...checks, { class: 'read', ip }]);
    expect(response.status).toBe(200);
    const results = (await response.json()) as { allowed: boolean; remaining: number; class: string }[];
    expect(results.map(({ allowed }) => allowed)).toEqual([...Array(10).fill(true), false, false, true]);
    expect(results.slice(0, 10).map(({ remaining }) => remaining)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(results[12]).toMatchObject({ class: 'read', remaining: 99 });
  });

  it('takes 1,000 checks and no more', async () => {
    const checks = Array.from({ length: 1_000 }, (_, index) => ({
      method: 'GET',
      path: `/api/${'x'.repeat(100)}`,
      ip: `100.64.${index >> 8}.${index & 255}`,
      user_id: `user-${index}`,
    }));
    const response = await post('/v1/check/batch', checks);
    expect(response.status).toBe(200);
    const results = (await response.json()) as { allowed: boolean; remaining: number }[];
    expect(results).toHaveLength(1_000);
    expect(results.every(({ allowed, remaining }) => allowed && remaining === 99)).toBe(true);
    const more = await post('/v1/check/batch', [...checks, checks[0]]);
    expect(more.status).toBe(400);
    expect(await more.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('answers an empty batch with an empty answer', async () => {
    expect(await (await post('/v1/check/batch', [])).json()).toEqual([]);
  });

  it('refuses a batch with one wrong check as a whole, and counts nothing', async () => {
    const ip = someone();
    const response = await post('/v1/check/batch', [
      { class: 'auth', ip },
      { class: 'auth', ip: 'here' },
    ]);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: 'invalid_request',
      details: [{ path: '1.ip', message: 'must be an IP address' }],
    });
    expect(await check({ class: 'auth', ip })).toMatchObject({ remaining: 9 });
  });

  it('refuses what is no array', async () => {
    for (const body of [{}, { checks: [] }, 'null', '"x"']) {
      expect((await post('/v1/check/batch', body)).status).toBe(400);
    }
  });
});

describe('a check that cannot be understood', () => {
  const ip = '198.19.9.9';
  it.each([
    ['an empty body', ''],
    ['half of JSON', '{"class":"read"'],
    ['a repeated member', '{"class":"read","ip":"198.19.9.9","ip":"198.19.9.9"}'],
    ['a byte order mark', '\ufeff{"class":"read","ip":"198.19.9.9"}'],
    ['no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('with %s is bad_request', async (_, body) => {
    const response = await post('/v1/check', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: 'bad_request', error_description: expect.any(String) });
  });

  it.each([
    ['an array', []],
    ['null', 'null'],
    ['nothing in it', {}],
    ['no subject', { class: 'read' }],
    ['neither class nor method and path', { ip }],
    ['a method without path', { method: 'GET', ip }],
    ['a path without method', { path: '/', ip }],
    ['a path that does not start at the root', { method: 'GET', path: 'x', ip }],
    ['an unknown class', { class: 'READ', ip }],
    ['a range', { class: 'read', ip: '198.19.9.0/24' }],
    ['a port', { class: 'read', ip: '198.19.9.9:80' }],
    ['a padded address', { class: 'read', ip: '198.019.9.9' }],
    ['no address', { class: 'read', ip: '' }],
    ['the unspecified address', { class: 'read', ip: '::' }],
    ['null as an address', { class: 'read', ip: null }],
    ['an empty user', { class: 'read', user_id: '' }],
    ['a control character', { class: 'read', user_id: 'a\u0000' }],
    ['a user of 257 characters', { class: 'read', user_id: 'x'.repeat(257) }],
    ['a key of two words', { class: 'read', api_key: 'a b' }],
    ['two clients', { class: 'read', api_key: 'a', client_id: 'b' }],
    ['the type of no client', { class: 'read', ip, client_type: 'public' }],
    ['cost 0', { class: 'read', ip, cost: 0 }],
    ['half a cost', { class: 'read', ip, cost: 1.5 }],
    ['cost 1001', { class: 'read', ip, cost: 1001 }],
    ['an unknown member', { class: 'read', ip, limit: 5 }],
    ['__proto__', '{"class":"read","ip":"198.19.9.9","__proto__":{}}'],
    ['deep nesting', `{"class":${'['.repeat(9)}${']'.repeat(9)}}`],
  ])('with %s is invalid_request', async (_, body) => {
    const response = await post('/v1/check', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('is 413 above 64 KiB, a batch above 1 MiB', async () => {
    const check = { class: 'read', user_id: 'x'.repeat(64 * 1024) };
    const tooLarge = await post('/v1/check', check);
    expect(tooLarge.status).toBe(413);
    expect(await tooLarge.json()).toMatchObject({ error: 'payload_too_large' });
    expect((await post('/v1/check/batch', [check])).status).toBe(400);
    expect((await post('/v1/check/batch', ' '.repeat(1024 * 1024 + 1))).status).toBe(413);
  });

  it('is 415 in another media type, 405 by another method, 400 with a query', async () => {
    const plain = await post('/v1/check', { class: 'read', ip }, { 'Content-Type': 'text/plain' });
    expect(plain.status).toBe(415);
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH']) {
      const response = await fetch(`${product.origin}/v1/check`, { method, headers: { 'X-Admin-Token': gateway } });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST, OPTIONS');
    }
    expect((await post('/v1/check?class=read', { class: 'read', ip })).status).toBe(400);
  });
});

describe('who may ask', () => {
  const body = { class: 'read', user_id: 'asking' };
  const ask = (headers: Record<string, string>) =>
    fetch(`${product.origin}/v1/check`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it('is nobody without a token, with the body and headers of every error', async () => {
    for (const path of ['/v1/check', '/v1/check/batch', '/v1/forward-auth']) {
      const response = await fetch(`${product.origin}${path}`, { method: 'POST', body: '{' });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-request-id')).toBeTruthy();
      expect(await response.json()).toEqual({ error: 'unauthorized', error_description: expect.any(String) });
    }
    expect((await ask({ Authorization: 'Bearer wrong' })).status).toBe(401);
  });

  it('is a token of the role gateway, operator or owner, but not viewer', async () => {
    const [viewer, operator] = [await newToken('viewer'), await newToken('operator')];
    for (const [token, status] of [
      [viewer, 403],
      [operator, 200],
      [gateway, 200],
      [ADMIN_TOKEN, 200],
    ] as const) {
      expect((await ask({ Authorization: `Bearer ${token}` })).status).toBe(status);
      expect((await ask({ 'X-Admin-Token': token })).status).toBe(status);
    }
  });

  it('can do nothing else as a gateway', async () => {
    for (const path of ['api-keys', 'rate-limit/allowlist', 'policies', 'tokens']) {
      const response = await fetch(`${product.origin}/v1/admin/${path}`, { headers: { 'X-Admin-Token': gateway } });
      expect(response.status).toBe(403);
    }
  });

  it('is nobody any more from the moment a token is revoked', async () => {
    const created = await product.admin('POST', '/v1/admin/tokens', { name: 'short-lived', role: 'gateway' });
    const { id, token } = (await created.json()) as { id: string; token: string };
    expect((await ask({ 'X-Admin-Token': token })).status).toBe(200);
    expect((await product.admin('DELETE', `/v1/admin/tokens/${id}`)).status).toBe(204);
    expect((await ask({ 'X-Admin-Token': token })).status).toBe(401);
  });

  it('may send a client along whose own Authorization says something else', async () => {
    expect((await ask({ 'X-Admin-Token': gateway, Authorization: 'Bearer of-the-client' })).status).toBe(200);
    expect((await ask({ 'X-Admin-Token': gateway, Authorization: 'Basic Zm9vOmJhcg==' })).status).toBe(200);
  });
});
