import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { buildPackages } from '../server/packages.mjs';
import { RedisServer, redisIsMissing } from '../tests/fixtures/redis-server';
import { type HttpServer, leaveFirstCore, startServer, takeFirstCore } from './http-server';
import { median, table, thousands } from './rounds';

const TOKEN = 'bench-admin-token-0123456789-0123456789';
const PORTS = { sluice: 4340, app: 4341, failing: 4342, onRedis: 4343 };
const CONCURRENT = 200;
const ROUNDS = 5;
const MILLISECONDS = 3_000;
const NO_LIMIT = 1_000_000_000;

const WAYS = {
  client: '`sluice/client`, Sluice on its file',
  'client-on-redis': '`sluice/client`, Sluice on the same Redis',
  fetch: '`fetch` of `/v1/check`, one per decision',
  redis: 'rate-limiter-flexible on Redis',
} as const;
type Way = keyof typeof WAYS;

interface Measured {
  /** Per second. */
  decisions: number;
  requests: number;
  /** Processor time of the application for a decision, µs, without the requests around it. */
  cost: number;
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
  // Where the other servers are, whoever asks it.
  takeFirstCore();
  const redis = await RedisServer.start();
  const servers: HttpServer[] = [];
  try {
    const start = (port: number, more: Record<string, string>) =>
      startServer(['--max-semi-space-size=32', 'server.mjs'], port, '/readyz', environment(folder, port, more));
    servers.push(await start(PORTS.sluice, {}));
    servers.push(await start(PORTS.onRedis, { REDIS_URL: redis.url }));
    const cores = leaveFirstCore();
    const args = ['bench/client-app.mjs', String(PORTS.app), redis.url, TOKEN, ...servers.map(({ origin }) => origin)];
    const app = await startServer(args, PORTS.app, '/', {}, 'beside');
    servers.push(app);
    const results = await measure(app);
    const client = results.find(({ way }) => way === 'client');
    return [
      `Median of ${ROUNDS} interleaved rounds of ${MILLISECONDS / 1000} s, ${cores.replace('the server', 'the servers').replace('the load', 'application and load')}; ${CONCURRENT} requests at a time, 20,000 clients, one limit, nobody refused. ` +
        'Sluice commits every decision to its file before it answers; Redis counts in memory.',
      table(
        [
          'in an Express application',
          'decisions/s',
          'client is',
          'µs of the application',
          'requests/s, one decision each',
          'p50 ms',
          'p99 ms',
        ],
        results.map(({ way, measured }) => [
          WAYS[way],
          thousands(measured.decisions),
          way === 'client' ? '' : `${((client?.measured.decisions ?? Number.NaN) / measured.decisions).toFixed(1)} ×`,
          measured.cost.toFixed(0),
          thousands(measured.requests),
          String(measured.p50),
          String(measured.p99),
        ]),
      ),
      await failing(app.origin),
    ].join('\n\n');
  } finally {
    for (const server of servers.reverse()) await server.stop();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function environment(folder: string, port: number, more: Record<string, string>): Record<string, string> {
  const limit = { limit: NO_LIMIT, window_seconds: 60 };
  return {
    PORT: String(port),
    HOSTNAME_BIND: '127.0.0.1',
    DATABASE_URL: `file:${join(mkdtempSync(join(folder, 'data-')), 'sluice.db')}`,
    SLUICE_ADMIN_TOKEN: TOKEN,
    SLUICE_ADMIN_PASSWORD: TOKEN,
    SLUICE_LOG_LEVEL: 'error',
    SLUICE_DRAIN_SECONDS: '0',
    SLUICE_POLICIES: JSON.stringify({ classes: { read: { ip: limit } }, global: limit }),
    ...more,
  };
}

/** The ways in turn, round after round; the first round warms up. */
async function measure({ origin, cpu }: HttpServer): Promise<{ way: Way; measured: Measured }[]> {
  const ways = Object.keys(WAYS) as Way[];
  const seen = ways.map((): Measured[] => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [i, way] of ways.entries()) {
      const milliseconds = round === 0 ? 1_000 : MILLISECONDS;
      const before = cpu();
      const start = performance.now();
      const decided = await decide(origin, way, milliseconds);
      const decisions = (decided / (performance.now() - start)) * 1000;
      const cost = ((cpu() - before) / decided) * 1e6;
      const { requests, latency } = await load(`${origin}/requests/${way}`, milliseconds);
      if (round > 0) seen[i]?.push({ decisions, cost, requests: requests.average, p50: latency.p50, p99: latency.p99 });
    }
  }
  return ways.map((way, i) => {
    const of = (field: keyof Measured) => median((seen[i] ?? []).map((measured) => measured[field]));
    const [decisions, cost, requests] = [of('decisions'), of('cost'), of('requests')];
    return { way, measured: { decisions, cost, requests, p50: of('p50'), p99: of('p99') } };
  });
}

/** As many requests as there are at a time, each of which decides one after the other until the time is over. */
async function decide(origin: string, way: Way, milliseconds: number): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      const response = await fetch(`${origin}/decisions/${way}/${milliseconds}`, { method: 'POST' });
      if (!response.ok) throw new Error(`${way}: ${await response.text()}`);
      return (await response.json()) as { decided: number };
    }),
  );
  return answers.reduce((sum, { decided }) => sum + decided, 0);
}

async function load(url: string, milliseconds: number) {
  const result = await autocannon({ url, connections: CONCURRENT, duration: milliseconds / 1000 });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  return result;
}

/** What the application sees of a Sluice that fails from the first request on. */
async function failing(origin: string): Promise<string> {
  takeFirstCore();
  const rows: string[][] = [];
  for (const [name, behaviour] of Object.entries(FAILURES)) {
    const server = behaviour && createServer(behaviour).listen(PORTS.failing, '127.0.0.1');
    await fetch(`${origin}/failing?url=http://127.0.0.1:${PORTS.failing}`, { method: 'POST' });
    const { latency, errors, ...counts } = await autocannon({
      url: `${origin}/requests/failing`,
      connections: CONCURRENT,
      duration: 5,
    });
    server?.close();
    const times = (await (await fetch(`${origin}/failing`)).json()) as number[];
    const at = (share: number) => (times[Math.ceil(times.length * share) - 1] ?? Number.NaN).toFixed(0);
    rows.push([name, at(0.5), at(0.99), at(1), String(latency.p99), thousands(counts['2xx']), String(errors)]);
  }
  return table(
    ['while Sluice', 'a decision: p50 ms', 'p99 ms', 'longest ms', 'a request: p99 ms', 'answers', 'errors'],
    rows,
  );
}

const says = (text: string) => (socket: Socket) => {
  socket.on('error', () => undefined).once('data', () => socket.end(text));
};
const FAILURES: Readonly<Record<string, ((socket: Socket) => void) | null>> = {
  'accepts connections and never answers': (socket) => void socket.on('error', () => undefined),
  'does not listen': null,
  'answers garbage': says('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n<garbage>'),
  'breaks off within the body': says('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"allow'),
};
