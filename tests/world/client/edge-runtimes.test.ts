import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decisionServer } from '@/tests/fixtures/decision-server';
import { buildNext, findWarnings, NEXT_START, type NextVersion } from '@/tests/fixtures/next-build';
import { TEST_ADMIN_TOKEN, type TestServices, testServices } from '@/tests/fixtures/services';
import { until } from '@/tests/fixtures/until';
import { buildPackages } from '../../../server/packages';

/** Functions for an edge runtime, one for each adapter that runs there. */
const EDGE_FUNCTIONS: Readonly<Record<string, string>> = {
  'sluice.mjs': `
    import { Sluice } from 'sluice/client';
    export const sluice = new Sluice({
      url: process.env.SLUICE_URL ?? 'http://localhost',
      token: process.env.SLUICE_TOKEN ?? '',
      timeout: 60_000,
      onUnreachable: 'throw',
    });`,
  'pages/api/fetch.js': `
    import { forwardedFor, limit } from 'sluice/fetch';
    import { sluice } from '../../sluice.mjs';
    export const config = { runtime: 'edge' };
    export default limit(sluice, { ip: forwardedFor(1) })(() => Response.json({ ok: true }));`,
  'pages/api/hono.js': `
    import { Hono } from 'hono';
    import { handle } from 'hono/vercel';
    import { limit } from 'sluice/hono';
    import { sluice } from '../../sluice.mjs';
    export const config = { runtime: 'edge' };
    const app = new Hono().basePath('/api/hono');
    app.use(limit(sluice, { ip: (context) => context.req.header('x-forwarded-for') }));
    app.get('/', (context) => context.json({ ok: true }));
    export default handle(app);`,
  'pages/api/upstash.js': `
    import { Ratelimit } from 'sluice/upstash-ratelimit';
    export const config = { runtime: 'edge' };
    const ratelimit = new Ratelimit({ limiter: Ratelimit.slidingWindow(2, '60 s'), class: 'read' });
    export default async (request) => {
      const { success, remaining } = await ratelimit.limit(request.headers.get('x-forwarded-for'));
      const headers = { 'x-ratelimit-remaining': String(remaining) };
      return new Response(null, { status: success ? 200 : 429, headers });
    };`,
  'pages/api/next.js': `
    export const config = { runtime: 'edge' };
    export default () => Response.json({ ok: true });`,
};

const proxyNamed = (name: string) => `
    import { forwardedFor, limit } from 'sluice/next';
    import { sluice } from './sluice.mjs';
    export const ${name} = limit(sluice, { ip: forwardedFor(1) });
    export const config = { matcher: '/api/next' };`;

interface Edge {
  version: NextVersion;
  files: Readonly<Record<string, string>>;
  /** Warning that every application with an edge function gets from this Next. */
  usual?: RegExp;
}

const EDGES: Readonly<Record<string, Edge>> = {
  'Next 15': { version: 15, files: { 'middleware.js': proxyNamed('middleware') } },
  'Next 16': {
    version: 16,
    // What is linked into the application is outside of it.
    files: { 'proxy.js': proxyNamed('proxy'), 'next.config.mjs': "export default { turbopack: { root: '/' } };" },
    usual: /The Edge Runtime is deprecated/,
  },
};

beforeAll(() => buildPackages(process.cwd()));

describe.each(Object.entries(EDGES))('the edge runtime of %s', (_, { version, files, usual }) => {
  let place: TestServices;
  let sluice: Awaited<ReturnType<typeof decisionServer>>;
  let folder = '';
  let output = '';
  let child: ChildProcess | undefined;

  beforeAll(async () => {
    const limit = { limit: 2, window_seconds: 60 };
    place = await testServices({
      SLUICE_POLICIES: JSON.stringify({ classes: { read: { ip: limit, user: limit } } }),
    });
    sluice = await decisionServer(place.services);
    ({ folder, output } = await buildNext(version, { ...EDGE_FUNCTIONS, ...files }, ['hono']));
  });
  afterAll(async () => {
    if (child?.kill('SIGKILL')) await once(child, 'exit');
    await sluice.stop();
    place[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('builds without a warning of ours', () => {
    expect(findWarnings(output).filter((line) => usual?.test(line) !== true)).toEqual([]);
  });

  it('limits through each adapter', async () => {
    const env = { PATH: process.env.PATH, SLUICE_URL: sluice.url, SLUICE_TOKEN: TEST_ADMIN_TOKEN };
    const { command, args, port } = NEXT_START;
    const started = spawn(command, args, { cwd: folder, env: { ...env, NODE_ENV: 'production' } });
    child = started;
    let printed = '';
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (data) => (printed += String(data)));
    await until(() => {
      if (started.exitCode !== null) throw new Error(printed);
      return port.test(printed);
    });
    const origin = `http://127.0.0.1:${port.exec(printed)?.[1]}`;
    for (const [index, path] of ['/api/fetch', '/api/hono', '/api/next', '/api/upstash'].entries()) {
      const headers = { 'x-forwarded-for': `203.0.113.${index}` };
      const statuses: unknown[] = [];
      for (let i = 0; i < 3; i += 1) {
        const answer = await fetch(`${origin}${path}`, { headers });
        statuses.push([answer.status, answer.headers.get('x-ratelimit-remaining')]);
      }
      expect(statuses, `${path}: ${printed}`).toEqual([
        [200, '1'],
        [200, '0'],
        [429, '0'],
      ]);
    }
  });
});
