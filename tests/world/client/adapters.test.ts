import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createApiKey } from '@/lib/admin/keys/create';
import { call } from '@/tests/fixtures/call';
import { decisionServer } from '@/tests/fixtures/decision-server';
import { listen } from '@/tests/fixtures/listen';
import { NEXT_START } from '@/tests/fixtures/next-build';
import { nextExample, proxyBefore } from '@/tests/fixtures/next-example';
import { TEST_ADMIN_TOKEN, TEST_START, type TestServices, testServices } from '@/tests/fixtures/services';
import { until } from '@/tests/fixtures/until';
import { runtimeIsMissing, WEB_RUNTIMES, webExample } from '@/tests/fixtures/web-runtimes';
import { buildPackages } from '../../../server/packages';

/** How an example of the documentation is started, and how it says its port. */
interface Example {
  command: string;
  args: readonly string[];
  port: RegExp;
  /** Where, if not in the repository. */
  folder?: () => Promise<string>;
  isMissing?: boolean;
  /** A proxy stands before it. */
  isBehind?: boolean;
  /** Where orders are made. */
  orders?: string;
}

const onNode = (...args: string[]): Example => ({ command: process.execPath, args, port: /listens on (\d+)/ });
const onRuntime = (name: keyof typeof WEB_RUNTIMES): Example => ({
  ...WEB_RUNTIMES[name],
  folder: webExample,
  isMissing: runtimeIsMissing(name),
});

const EXAMPLES: Readonly<Record<string, Example>> = {
  express: onNode('docs/examples/express/server.mjs'),
  fastify: onNode('docs/examples/fastify/server.mjs'),
  koa: onNode('docs/examples/koa/server.mjs'),
  hono: onNode('tests/fixtures/web-example.mjs', 'hono'),
  fetch: onNode('tests/fixtures/web-example.mjs', 'fetch'),
  next: { ...NEXT_START, folder: nextExample, isBehind: true, orders: '/api/orders' },
  'fetch, on Deno': onRuntime('deno'),
  'fetch, on Bun': onRuntime('bun'),
  'fetch, on workerd': onRuntime('workerd'),
};

beforeAll(() => buildPackages(process.cwd()));

describe.each(Object.entries(EXAMPLES))('the example for %s', (_, example) => {
  if (example.isMissing) return it.skip('is not installed');
  let place: TestServices;
  let sluice: Awaited<ReturnType<typeof decisionServer>>;
  let child: ChildProcess | undefined;
  let folder: string | undefined;
  let front: Awaited<ReturnType<typeof proxyBefore>> | null = null;
  let origin: string;
  let output = '';

  beforeAll(async () => {
    place = await testServices({
      SLUICE_POLICIES: JSON.stringify({
        classes: { read: { ip: { limit: 3, window_seconds: 60 } } },
        clients: { confidential: { limit: 2, window_seconds: 60 } },
      }),
    });
    sluice = await decisionServer(place.services);
    const env = { PATH: process.env.PATH, SLUICE_URL: sluice.url, SLUICE_TOKEN: TEST_ADMIN_TOKEN, PORT: '0' };
    const { command, args, port } = example;
    folder = await example.folder?.();
    const started = spawn(command, args, { cwd: folder, env: { ...env, NODE_ENV: 'production' } });
    child = started;
    for (const stream of [started.stdout, started.stderr]) stream?.on('data', (data) => (output += String(data)));
    await until(() => {
      if (started.exitCode !== null) throw new Error(output);
      return port.test(output);
    });
    const own = Number(port.exec(output)?.[1]);
    if (example.isBehind) front = await proxyBefore(own);
    origin = `http://127.0.0.1:${front?.port ?? own}`;
    // What has just started may take longer for its first checks than the client waits.
    await until(async () => (await get('/api/warm')).headers.get('x-ratelimit-status') === null);
    await until(async () => (await order({ 'x-api-key': 'sk_warm' })).status === 401);
    place.clock.advance(120_000);
  });
  afterAll(async () => {
    if (child?.kill('SIGKILL')) await once(child, 'exit');
    await front?.stop();
    await sluice.stop();
    place[Symbol.dispose]();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${origin}${path}`, { headers });
  const order = (headers: Record<string, string>) =>
    fetch(`${origin}${example.orders ?? '/orders'}`, { method: 'POST', headers });

  it('answers with the headers of the limit, and refuses the fourth request', async () => {
    const first = await get('/api/reports?page=2');
    expect(first.status).toBe(200);
    expect(await first.json()).toEqual({ reports: [] });
    const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
    expect(names.map((name) => first.headers.get(name))).toEqual(['3', '2', String(TEST_START / 1000 + 120 + 61)]);
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

  it('counts an order for the key that it carries, and refuses the third, with the headers of that limit', async () => {
    const { json: key } = await call(place.services, createApiKey, { body: { name: 'Shop', tier: 'free' } });
    const sent = await Promise.all([1, 2, 3].map(() => order({ 'x-api-key': key.secret })));
    const answers = sent.toSorted((a, b) => a.status - b.status);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    const limits = answers.map(({ headers }) => [headers.get('x-ratelimit-limit'), headers.get('x-quota-limit')]);
    expect(limits).toEqual(Array(3).fill(['2', '1000']));
    expect(await answers[0]?.json()).toMatchObject({ ordered: true });
    expect(answers[2]?.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(answers[2]?.headers.get('retry-after')).toBe('61');
    expect(await answers[2]?.json()).toMatchObject({ error: 'client_rate_limit_exceeded' });
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

  it('answers everyone while Sluice hangs, whoever asked first', async () => {
    const hanging = createServer((socket) => void socket.on('error', () => undefined).resume());
    await listen(hanging, Number(new URL(sluice.url).port));
    onTestFinished(() => void hanging.close());
    const first = get('/api/reports');
    const answers = [await get('/api/reports'), await first];
    expect(answers.map(({ status }) => [200, 429].includes(status))).toEqual([true, true]);
  });
});
