import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Product } from '../../fixtures/product';
import { until } from '../../fixtures/until';
import { type Application, SPOOFED } from './application';
import { call as callFrom, nextAddress } from './clients';
import { proves } from './documented';
import { type Edge, type GatewayName, installedGateways, startGateway } from './gateways';
import { newToken, startSurroundings } from './surroundings';

/** Sluice beside the gateway: what of its decisions reaches the client, and what reaches the application. */
describe('Sluice beside a gateway', () => {
  const edges = new Map<GatewayName, Edge>();
  const others: Edge[] = [];
  let product: Product;
  let application: Application;
  let viewer: string;

  const call = (gateway: GatewayName, client: string, path: string, options?: Parameters<typeof callFrom>[2]) =>
    callFrom(`${edges.get(gateway)?.origin}${path}`, client, options);
  const seenLast = () => application.seen.at(-1);

  /** Another one of this kind, with another token. */
  async function withToken(gateway: GatewayName, token: string): Promise<string> {
    const edge = await startGateway(gateway, 'beside', { sluice: product.port, application: application.port, token });
    others.push(edge);
    return edge.origin;
  }

  beforeAll(async () => {
    const { token, ...started } = await startSurroundings();
    ({ product, application } = started);
    const options = { sluice: product.port, application: application.port, token };
    await Promise.all(
      installedGateways.map(async (gateway) => edges.set(gateway, await startGateway(gateway, 'beside', options))),
    );
    viewer = await newToken(product, 'viewer');
  });
  afterAll(async () => {
    for (const edge of [...edges.values(), ...others]) await edge.stop();
    await application?.close();
    await product?.stop();
  });

  proves('Decisions, Sluice beside the gateway', installedGateways, {
    'An admitted request reaches the application as it was sent': async (gateway) => {
      const headers = { authorization: 'Bearer of-the-client', cookie: 'a=b', host: 'shop.example' };
      const path = '/api/x/%2F..%2f//y?a=1&b=%20';
      const answer = await call(gateway, nextAddress(), path, { method: 'PUT', headers, body: 'a body' });
      expect(answer).toMatchObject({ status: 200, body: 'the application' });
      expect(answer.headers.get('x-application')).toBe('yes');
      expect(seenLast()).toMatchObject({ method: 'PUT', url: path, body: { bytes: 6 } });
      expect(seenLast()?.headers).toMatchObject(headers);
    },

    'Its answer carries the limit headers': async (gateway) => {
      const client = nextAddress();
      const askedAt = Date.now();
      const { headers } = await call(gateway, client, '/api/x', { method: 'PUT' });
      expect(headers.get('x-ratelimit-limit')).toBe('50');
      expect(headers.get('x-ratelimit-remaining')).toBe('49');
      expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(askedAt / 1000);
      for (const name of ['x-quota-limit', 'x-ratelimit-status', 'ratelimit', 'ratelimit-policy', 'retry-after'])
        expect(headers.get(name), name).toBeNull();
      const next = await call(gateway, client, '/api/x', { method: 'PUT' });
      expect(next.headers.get('x-ratelimit-remaining')).toBe('48');
    },

    'A refused request gets 429 with body, limit headers and `Retry-After`, and never reaches the application': async (
      gateway,
    ) => {
      const client = nextAddress();
      for (let index = 0; index < 10; index += 1) expect((await call(gateway, client, '/login')).status).toBe(200);
      const before = application.seen.length;
      const askedAt = Date.now();
      const refused = await call(gateway, client, '/login', { method: 'POST', body: 'a body' });
      expect(refused.status).toBe(429);
      expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(JSON.parse(refused.body)).toEqual({
        error: 'rate_limit_exceeded',
        error_description: 'Too many requests from this address.',
      });
      expect(refused.headers.get('x-ratelimit-limit')).toBe('10');
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
      expect(Number(refused.headers.get('x-ratelimit-reset'))).toBeGreaterThan(askedAt / 1000);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(refused.headers.get('cache-control')).toBe('no-store');
      expect(application.seen).toHaveLength(before);
    },

    'A client that accepts `application/problem+json` gets it': async (gateway) => {
      const client = nextAddress();
      const headers = { Accept: 'application/problem+json' };
      for (let index = 0; index < 10; index += 1) await call(gateway, client, '/login');
      const refused = await call(gateway, client, '/login', { headers });
      expect(refused.status).toBe(429);
      return refused.headers.get('content-type')?.startsWith(headers.Accept) ? 'yes' : 'no';
    },

    'A CORS preflight counts for nothing': async (gateway) => {
      const client = nextAddress();
      const headers = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' };
      for (let index = 0; index < 12; index += 1) {
        const answer = await call(gateway, client, '/login', { method: 'OPTIONS', headers });
        expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, null]);
      }
      const counted = await call(gateway, client, '/login', { method: 'OPTIONS' });
      expect(counted.headers.get('x-ratelimit-remaining')).toBe('9');
    },

    'A script can read a refusal, where the policy `cors_origins` names its origin': async (gateway) => {
      const patched = await product.admin('PATCH', '/v1/admin/policies', { cors_origins: ['https://app.example'] });
      expect(patched.status).toBe(200);
      const client = nextAddress();
      for (let index = 0; index < 10; index += 1) await call(gateway, client, '/login');
      const refusedFor = async (origin: string) => {
        const { status, headers } = await call(gateway, client, '/login', { headers: { Origin: origin } });
        expect(status).toBe(429);
        return ['access-control-allow-origin', 'access-control-allow-credentials', 'vary'].map((name) =>
          headers.get(name),
        );
      };
      expect(await refusedFor('https://app.example')).toEqual(['https://app.example', 'true', 'Origin']);
      expect(await refusedFor('https://other.example')).toEqual([null, null, null]);
    },

    'Of many concurrent requests, exactly as many as the limit allows pass': async (gateway) => {
      const client = nextAddress();
      const all = Array.from({ length: 60 }, () => call(gateway, client, '/api/x', { method: 'POST' }));
      const statuses = (await Promise.all(all)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(50);
      expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    },

    'Nothing that a client sends changes its address, method or path': async (gateway) => {
      const client = nextAddress();
      const forged: Record<string, string>[] = [
        { 'X-Forwarded-For': '203.0.113.1', 'X-Real-IP': '203.0.113.1', Forwarded: 'for=203.0.113.1' },
        { 'X-Forwarded-Uri': '/api/x', 'X-Forwarded-Method': 'GET', 'X-Original-URI': '/api/x' },
        { 'X-Admin-Token': 'wrong', 'X-User-Id': 'somebody', 'X-RateLimit-Limit': '7' },
        { 'X-RL-Status': '200', 'X-RateLimit-Status': 'bypassed', 'X-HTTP-Method-Override': 'GET' },
        { Connection: 'X-Forwarded-For, X-Admin-Token, X-Forwarded-Uri, X-API-Key' },
      ];
      for (let index = 0; index < 10; index += 1) {
        const headers = forged[index % forged.length];
        const path = `/login?proxy=nginx&user_header=X-User-Id&n=${index}&n=1`;
        const answer = await call(gateway, client, path, { headers });
        expect(answer.status).toBe(200);
        expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(9 - index));
      }
      const other = await call(gateway, client, '/api/..//%6cogin?x', { headers: forged[0] });
      expect(other.status).toBe(429);
      const elsewhere = { target: 'http://other.example/login?/api/x', headers: { Host: 'other.example' } };
      const absolute = await call(gateway, client, '/', elsewhere);
      expect(absolute.status).toBe(429);
    },

    'The application learns the address, host and scheme of the client only from the gateway': async (gateway) => {
      const client = nextAddress();
      const chain = { 'X-Forwarded-For': '203.0.113.1', 'X-Real-IP': '203.0.113.1', Forwarded: 'for=203.0.113.1' };
      const origin = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example', Host: 'shop.example' };
      await call(gateway, client, '/api/x', { headers: { ...chain, ...origin } });
      const { headers } = seenLast() ?? {};
      expect(headers).toMatchObject({ 'x-forwarded-for': client, 'x-forwarded-proto': 'http', 'x-real-ip': client });
      expect(headers).toMatchObject({ 'x-forwarded-host': 'shop.example' });
      expect(headers).not.toHaveProperty('forwarded');
    },

    'Limit headers and `X-Admin-Token` of a client do not reach the application': async (gateway) => {
      await call(gateway, nextAddress(), '/api/x', { headers: { ...SPOOFED, 'X-Admin-Token': 'of-the-client' } });
      const received = JSON.stringify(seenLast()?.headers);
      expect(received).not.toMatch(/7777|spoofed|bypassed|of-the-client/);
      expect(seenLast()?.headers).not.toHaveProperty('x-admin-token');
    },

    'The limit headers of the decision reach the application': async (gateway) => {
      await call(gateway, nextAddress(), '/api/x');
      return seenLast()?.headers['x-ratelimit-limit'] === '100' ? 'yes' : 'no';
    },

    'Limit headers of the application do not reach the client': async (gateway) => {
      const client = nextAddress();
      const counted = await call(gateway, client, '/api/x?spoof');
      expect(counted.headers.get('x-ratelimit-limit')).toBe('100');
      const entry = { type: 'ip', identifier: client, reason: 'test' };
      expect((await product.admin('POST', '/v1/admin/rate-limit/allowlist', entry)).status).toBe(200);
      const bypassed = await call(gateway, client, '/api/x?spoof');
      for (const { status, headers } of [counted, bypassed]) {
        expect(status).toBe(200);
        expect(JSON.stringify([...headers])).not.toMatch(/7777|spoofed/);
        expect(headers.get('x-rl-status')).toBeNull();
      }
    },

    'Fields that the client names in `Connection`, to the application': async (gateway) => {
      await call(gateway, nextAddress(), '/api/x', { headers: { Connection: 'X-Hop', 'X-Hop': '1', 'X-Stays': '1' } });
      expect(seenLast()?.headers).toMatchObject({ 'x-stays': '1' });
      return seenLast()?.headers['x-hop'] === undefined ? 'removed' : 'passed on';
    },

    'An API key counts: quota headers, 401 if it is unknown, 400 for two': async (gateway) => {
      const created = await product.admin('POST', '/v1/admin/api-keys', { name: gateway, tier: 'starter' });
      const { secret } = (await created.json()) as { secret: string };
      const client = nextAddress();
      const askedAt = Date.now();
      const known = await call(gateway, client, '/api/x', { headers: { 'X-API-Key': secret } });
      expect(known.status).toBe(200);
      expect(known.headers.get('x-quota-limit')).toBe('10000');
      expect(known.headers.get('x-quota-remaining')).toBe('9999');
      expect(Number(known.headers.get('x-quota-reset'))).toBeGreaterThan(askedAt / 1000);
      const unknown = await call(gateway, client, '/api/x', { headers: { 'X-API-Key': 'slk_unknown' } });
      expect(unknown.status).toBe(401);
      expect(unknown.headers.get('www-authenticate')).toBe('ApiKey realm="sluice"');
      expect(JSON.parse(unknown.body)).toMatchObject({ error: 'invalid_api_key' });
      const two = await call(gateway, client, '/api/x', { headers: { 'X-API-Key': [secret, 'slk_other'] } });
      expect(two.status).toBe(400);
      expect(JSON.parse(two.body)).toMatchObject({ error: 'invalid_request' });
    },

    'A bypass is said, without limit headers': async (gateway) => {
      const client = nextAddress();
      const entry = { type: 'ip', identifier: client, reason: 'test' };
      expect((await product.admin('POST', '/v1/admin/rate-limit/allowlist', entry)).status).toBe(200);
      for (let index = 0; index < 12; index += 1) {
        const answer = await call(gateway, client, '/login');
        expect(answer.status).toBe(200);
        expect(answer.headers.get('x-ratelimit-status')).toBe('bypassed');
        expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
      }
    },

    "The application's own 401, 403, 404, 429, 500 and 503 pass": async (gateway) => {
      const client = nextAddress();
      for (const status of [401, 403, 404, 429, 500, 503]) {
        const answer = await call(gateway, client, `/api/x?status=${status}`);
        expect(answer).toMatchObject({ status, body: 'the application' });
        expect(answer.headers.get('x-ratelimit-limit')).toBe('100');
      }
    },

    'A route rule that counts only failures gives back the others': async (gateway) => {
      const client = nextAddress();
      for (const status of [200, 401, 302, 204, 500, 200])
        expect((await call(gateway, client, `/sign-in?status=${status}`, { method: 'POST' })).status).toBe(status);
      const used = async () => {
        const query = new URLSearchParams({ type: 'ip', identifier: client });
        const answer = await product.admin('GET', `/v1/admin/rate-limit/counters?${query}`);
        const { counters } = (await answer.json()) as { counters: { class: string; used: number }[] };
        return counters.find((counter) => counter.class === 'auth')?.used;
      };
      const isSeen = gateway === 'haproxy' || gateway === 'apache';
      await until(async () => (await used()) === (isSeen ? 2 : 6));
      return isSeen ? 'yes' : 'no';
    },

    "The gateway's token is wrong, or has no right to ask: 503": async (gateway) => {
      // Caddy starts without a token, too.
      for (const token of ['not-a-token', viewer, ...(gateway === 'caddy' ? [''] : [])]) {
        const answer = await callFrom(`${await withToken(gateway, token)}/api/x`, nextAddress());
        expect(answer.status).toBe(503);
        expect(answer.headers.get('retry-after')).toBe('2');
        expect(answer.headers.get('www-authenticate')).toBeNull();
        expect(JSON.parse(answer.body)).toMatchObject({ error: 'service_unavailable' });
      }
    },

    'Another program answers in place of Sluice, with 200: 503': async (gateway) => {
      const { port } = application;
      const edge = await startGateway(gateway, 'beside', { sluice: port, application: port, token: 'any' });
      others.push(edge);
      const { status, headers } = await callFrom(`${edge.origin}/api/x`, nextAddress());
      if (status === 200) return 'no';
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toBe('2');
    },
  });
});
