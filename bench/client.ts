import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { buildPackages } from '../server/packages.mjs';
import { RedisServer, redisIsMissing } from '../tests/fixtures/redis-server';
import { type HttpServer, leaveFirstCore, startServer } from './http-server';
import { median, table, thousands } from './rounds';

const TOKEN = 'bench-admin-token-0123456789-0123456789';
const PORTS = { sluice: 4340, app: 4341, hanging: 4342 };
const CONCURRENT = 200;
const ROUNDS = 5;
const MILLISECONDS = 3_000;
const NO_LIMIT = 1_000_000_000;

const WAYS = {
  client: '`sluice/client`',
  fetch: '`fetch` of `/v1/check`, one per decision',
  redis: 'rate-limiter-flexible on Redis',
} as const;
type Way = keyof typeof WAYS;

interface Measured {
  /** Per second. */
  decisions: number;
  requests: number;
  /** Of a request with one decision, ms. */
  p50: number;
  p99: number;
}

/** Decisions of an Express application with 200 requests at a time: through the client, by single calls, on Redis. */
export async function run(): Promise<string> {
  if (!existsSync('.next/BUILD_ID')) return 'There is no build: run `npm run build` first.';
  if (redisIsMissing('bench client')) return 'redis-server is not installed.';
  await buildPackages(process.cwd());
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const redis = await RedisServer.start();
  const servers: HttpServer[] = [];
  try {
    const sluice = await startServer(
      ['--max-semi-space-size=32', 'server.mjs'],
      PORTS.sluice,
      '/readyz',
      environment(folder),
    );
    servers.push(sluice);
    const cores = leaveFirstCore();
    const args = ['bench/client-app.mjs', String(PORTS.app), sluice.origin, await gatewayToken(), redis.url];
    const app = await startServer(args, PORTS.app, '/', {}, 'beside');
    servers.push(app);
    const results = await measure(app.origin);
    const [client] = results;
    return [
      `Median of ${ROUNDS} interleaved rounds of ${MILLISECONDS / 1000} s, ${cores.replace('the load', 'application and load')}; ${CONCURRENT} requests at a time, 20,000 clients, one limit, nobody refused. ` +
        'Sluice commits every decision to its file before it answers; Redis counts in memory.',
      table(
        ['in an Express application', 'decisions/s', 'client is', 'requests/s, one decision each', 'p50 ms', 'p99 ms'],
        results.map(({ way, measured }) => [
          WAYS[way],
          thousands(measured.decisions),
          way === 'client' ? '' : `${((client?.measured.decisions ?? Number.NaN) / measured.decisions).toFixed(1)} ×`,
          thousands(measured.requests),
          String(measured.p50),
          String(measured.p99),
        ]),
      ),
      await hanging(app.origin),
    ].join('\n\n');
  } finally {
    for (const server of servers.reverse()) await server.stop();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function environment(folder: string): Record<string, string> {
  const limit = { limit: NO_LIMIT, window_seconds: 60 };
  return {
    PORT: String(PORTS.sluice),
    HOSTNAME_BIND: '127.0.0.1',
    DATABASE_URL: `file:${join(folder, 'sluice.db')}`,
    SLUICE_ADMIN_TOKEN: TOKEN,
    SLUICE_ADMIN_PASSWORD: TOKEN,
    SLUICE_LOG_LEVEL: 'error',
    SLUICE_DRAIN_SECONDS: '0',
    SLUICE_POLICIES: JSON.stringify({ classes: { read: { ip: limit } }, global: limit }),
  };
}

async function gatewayToken(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${PORTS.sluice}/v1/admin/tokens`, {
    method: 'POST',
    headers: { 'X-Admin-Token': TOKEN, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'bench', role: 'gateway' }),
  });
  const { token } = (await response.json()) as { token: string };
  return token;
}

/** The ways in turn, round after round; the first round warms up. */
async function measure(origin: string): Promise<{ way: Way; measured: Measured }[]> {
  const ways = Object.keys(WAYS) as Way[];
  const seen = ways.map((): Measured[] => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [i, way] of ways.entries()) {
      const milliseconds = round === 0 ? 1_000 : MILLISECONDS;
      const decisions = await decisionsPerSecond(origin, way, milliseconds);
      const { requests, latency } = await load(`${origin}/requests/${way}`, milliseconds);
      if (round > 0) seen[i]?.push({ decisions, requests: requests.average, p50: latency.p50, p99: latency.p99 });
    }
  }
  return ways.map((way, i) => {
    const of = (field: keyof Measured) => median((seen[i] ?? []).map((measured) => measured[field]));
    return { way, measured: { decisions: of('decisions'), requests: of('requests'), p50: of('p50'), p99: of('p99') } };
  });
}

/** As many requests as there are at a time, each of which decides one after the other until the time is over. */
async function decisionsPerSecond(origin: string, way: Way, milliseconds: number): Promise<number> {
  const start = performance.now();
  const answers = await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      const response = await fetch(`${origin}/decisions/${way}/${milliseconds}`, { method: 'POST' });
      if (!response.ok) throw new Error(`${way}: ${await response.text()}`);
      return (await response.json()) as { decided: number };
    }),
  );
  const decided = answers.reduce((sum, answer) => sum + answer.decided, 0);
  return (decided / (performance.now() - start)) * 1000;
}

async function load(url: string, milliseconds: number) {
  const result = await autocannon({ url, connections: CONCURRENT, duration: milliseconds / 1000 });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  return result;
}

/** How long a request takes while the server accepts connections and never answers. */
async function hanging(origin: string): Promise<string> {
  const server = createServer(() => undefined).listen(PORTS.hanging, '127.0.0.1');
  try {
    await fetch(`${origin}/hanging?url=http://127.0.0.1:${PORTS.hanging}`, { method: 'POST' });
    const result = await autocannon({ url: `${origin}/requests/hanging`, connections: CONCURRENT, duration: 5 });
    const { p99, max } = result.latency;
    const statuses = `${thousands(result['2xx'])} admitted, ${thousands(result.non2xx)} refused by the local limiter`;
    return `While Sluice accepts connections and never answers, from the first request on: p99 ${p99} ms, longest ${max} ms, ${result.errors} errors (${statuses}).`;
  } finally {
    server.close();
  }
}
