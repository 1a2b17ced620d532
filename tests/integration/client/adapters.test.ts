import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decisionServer } from '@/tests/fixtures/decision-server';
import { TEST_ADMIN_TOKEN, TEST_START, type TestServices, testServices } from '@/tests/fixtures/services';
import { until } from '@/tests/fixtures/until';
import { buildPackages } from '../../../server/packages.mjs';

/** The examples of the documentation, and how each is started. */
const EXAMPLES: Readonly<Record<string, string[]>> = {
  express: ['docs/examples/express/server.mjs'],
  fastify: ['docs/examples/fastify/server.mjs'],
  koa: ['docs/examples/koa/server.mjs'],
  hono: ['tests/fixtures/web-example.mjs', 'hono'],
  fetch: ['tests/fixtures/web-example.mjs', 'fetch'],
  next: ['tests/fixtures/web-example.mjs', 'next'],
};

beforeAll(() => buildPackages(process.cwd()));

describe.each(Object.entries(EXAMPLES))('the example for %s', (_, command) => {
  let place: TestServices;
  let sluice: Awaited<ReturnType<typeof decisionServer>>;
  let child: ChildProcess;
  let origin: string;
  let output = '';

  beforeAll(async () => {
    place = await testServices({
      SLUICE_POLICIES: JSON.stringify({ classes: { read: { ip: { limit: 3, window_seconds: 60 } } } }),
    });
    sluice = await decisionServer(place.services);
    const env = { PATH: process.env.PATH, SLUICE_URL: sluice.url, SLUICE_TOKEN: TEST_ADMIN_TOKEN, PORT: '0' };
    child = spawn(process.execPath, command, { env: { ...env, NODE_ENV: 'production' } });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += String(data)));
    await until(() => {
      if (child.exitCode !== null) throw new Error(output);
      return /listens on \d+/.test(output);
    });
    origin = `http://127.0.0.1:${/listens on (\d+)/.exec(output)?.[1]}`;
  });
  afterAll(async () => {
    child.kill();
    await sluice.stop();
    place[Symbol.dispose]();
  });

  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${origin}${path}`, { headers });
  const order = (headers: Record<string, string>) => fetch(`${origin}/orders`, { method: 'POST', headers });

  it('answers with the headers of the limit, and refuses the fourth request', async () => {
    const first = await get('/api/reports?page=2');
    expect(first.status).toBe(200);
    expect(await first.json()).toEqual({ reports: [] });
    const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
    expect(names.map((name) => first.headers.get(name))).toEqual(['3', '2', String(TEST_START / 1000 + 61)]);
    expect(first.headers.get('retry-after')).toBeNull();
    await Promise.all([get('/api/reports'), get('/api/reports')]);
    const refused = await get('/api/reports', { 'x-forwarded-for': '192.0.2.99' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('content-type')).toMatch(/^application\/json/);
    expect(refused.headers.get('retry-after')).toBe('61');
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(await refused.json()).toEqual({
      error: 'rate_limit_exceeded',
      error_description: 'Too many requests from this address.',
    });
  });

  it('refuses as RFC 9457 describes where that is asked for', async () => {
    const refused = await get('/api/reports', { accept: 'application/problem+json' });
    expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await refused.json()).toMatchObject({
      error: 'rate_limit_exceeded',
      type: 'urn:sluice:error:rate_limit_exceeded',
      title: 'Too Many Requests',
      status: 429,
      detail: 'Too many requests from this address.',
    });
  });

  it('limits no request that is skipped', async () => {
    const answer = await get('/healthz');
    expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, null]);
  });

  it('challenges a key that is unknown, or no secret, and refuses who sends none', async () => {
    for (const key of ['sk_unknown', '7f9c24e8-3b1a-4d21-9a55-0c4b5e1f0a11']) {
      const answer = await order({ 'x-api-key': key });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('ApiKey realm="sluice"');
      expect(await answer.json()).toMatchObject({ error: 'invalid_api_key' });
    }
    const nobody = await order({});
    expect([nobody.status, (await nobody.json()).error]).toEqual([400, 'invalid_request']);
  });

  it('answers 503 with Retry-After where the class is closed and Sluice is down', async () => {
    await sluice.stop();
    const closed = await order({ 'x-api-key': 'sk_some' });
    expect([closed.status, closed.headers.get('retry-after')]).toEqual([503, '1']);
    expect(closed.headers.get('x-ratelimit-status')).toBe('degraded');
    const open = await get('/api/reports');
    expect([open.status, open.headers.get('x-ratelimit-status')]).toEqual([200, 'degraded']);
  });
});
