import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { buildPackages } from '../server/packages';
import { RedisServer, redisIsMissing } from '../tests/fixtures/redis-server';
import { BURSTS, compareWithLimit, mostAdmitted, OVER_AN_EDGE, RULE, sendOverEdge } from './bursts';
import { measureWhileSluiceFails } from './client-failures';
import { cpuSeconds, type HttpServer, startServer, takeTwoCores } from './http-server';
import { createHttpLimiter } from './limiters';
import { neededBuild } from './needed-build';
import { formatThousands, median, table } from './rounds';
import { serverEnvironment, TOKEN } from './server-environment';

const PORTS = { sluice: 4340, app: 4341, failing: 4342, onRedis: 4343 };
const CONCURRENT = 200;
const MILLISECONDS = 3_000;
const NO_LIMIT = 1_000_000_000;
/** Limit of users in the class `write`, for bursts. */
const LOW = { limit: RULE.limit, window_seconds: RULE.seconds };

const WAYS = {
  client: '`sluice/client`, Sluice on its file',
  'client-on-redis': '`sluice/client`, Sluice on the same Redis',
  fetch: '`fetch` of `/v1/check`, one per decision',
  redis: 'rate-limiter-flexible on Redis',
  nothing: 'no limiter, which is the most there can be',
} as const;
type Way = keyof typeof WAYS;

interface Measured {
  /** Decisions per second. */
  decisions: number;
  requests: number;
  /** Processor time per decision in µs, without the surrounding requests: of the application, Sluice and Redis. */
  app: number;
  sluice: number;
  redis: number;
  /** Processor time of all three for a request with one decision, in µs. */
  request: number;
  /** Duration of a request with one decision, in ms. */
  p50: number;
  p99: number;
}

/**
 * Measures decisions of an Express application with 200 concurrent requests: through the client, by single calls, on
 * Redis.
 */
export async function run({ rounds = 5 }: { rounds?: number } = {}): Promise<string> {
  const needed = neededBuild();
  if (needed !== null) return needed;
  if (redisIsMissing('bench client')) return 'redis-server is not installed.';
  await buildPackages(process.cwd());
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const cores = takeTwoCores();
  const redis = await RedisServer.start();
  const servers: HttpServer[] = [];
  try {
    const start = (port: number, more: Record<string, string>) =>
      startServer(
        ['--max-semi-space-size=32', 'server.mjs'],
        port,
        '/readyz',
        environment(folder, port, more),
        'anywhere',
      );
    const onFile = await start(PORTS.sluice, {});
    const onRedis = await start(PORTS.onRedis, { REDIS_URL: redis.url });
    servers.push(onFile, onRedis);
    const origins = servers.map(({ origin }) => origin);
    const low = `${RULE.limit}/${RULE.seconds}`;
    const args = ['bench/client-app.mjs', String(PORTS.app), redis.url, TOKEN, ...origins, low];
    const app = await startServer(args, PORTS.app, '/', {}, 'anywhere');
    servers.push(app);
    const pid = Number(/process_id:(\d+)/.exec(await redis.admin.info('server'))?.[1]);
    const cpu = {
      app: app.cpu,
      sluice: (way: Way) =>
        way === 'redis' || way === 'nothing' ? 0 : way === 'client-on-redis' ? onRedis.cpu() : onFile.cpu(),
      redis: () => cpuSeconds(pid),
    };
    const load = loadavg()[0] ?? Number.NaN;
    const results = await measure(app.origin, cpu, rounds);
    const ratio = ratios(results);
    const limiting = results.filter(({ way }) => way !== 'nothing');
    return [
      `Median of ${rounds} interleaved rounds of ${MILLISECONDS / 1000} s, ${cores}; ${CONCURRENT} requests at a time, 20,000 clients, one limit, nobody refused. Load of the machine ${load.toFixed(1)} before, ${loadavg()[0]?.toFixed(1)} after. ` +
        'Sluice commits every decision to its file before it answers; Redis counts in memory.',
      table(
        [
          'in an Express application',
          'decisions/s',
          'µs of processor a decision: application',
          'Sluice',
          'Redis',
          'all',
        ],
        limiting.map(({ way, measured: { decisions, app: ofApp, sluice, redis: ofRedis } }) => [
          WAYS[way],
          formatThousands(decisions),
          ...[ofApp, sluice, ofRedis, ofApp + sluice + ofRedis].map((cost) => cost.toFixed(1)),
        ]),
      ),
      table(
        ['', 'requests/s, one decision each', 'of no limiter', 'µs of processor a request', 'p50 ms', 'p99 ms'],
        results.map(({ way, measured: { requests, request, p50, p99 } }) => [
          WAYS[way],
          formatThousands(requests),
          ratio(way, 'nothing', 'requests'),
          request.toFixed(0),
          String(p50),
          String(p99),
        ]),
      ),
      table(
        ['ratio, of each round, median', 'goal', 'decisions', 'requests'],
        [
          [
            'client on the file : single `fetch`',
            '5 ×',
            ratio('client', 'fetch', 'decisions'),
            ratio('client', 'fetch', 'requests'),
          ],
          [
            'client on the file : rate-limiter-flexible',
            '1 ×',
            ratio('client', 'redis', 'decisions'),
            ratio('client', 'redis', 'requests'),
          ],
          [
            'client on Redis : rate-limiter-flexible',
            '1 ×',
            ratio('client-on-redis', 'redis', 'decisions'),
            ratio('client-on-redis', 'redis', 'requests'),
          ],
        ],
      ),
      await exactness(app.origin),
      await measureWhileSluiceFails({ origin: app.origin, concurrent: CONCURRENT }, PORTS.failing, () =>
        start(PORTS.failing, {}),
      ),
    ].join('\n\n');
  } finally {
    for (const server of servers.reverse()) await server.stop();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function environment(folder: string, port: number, more: Record<string, string>): Record<string, string> {
  const limit = { limit: NO_LIMIT, window_seconds: 60 };
  const policies = { classes: { read: { ip: limit }, write: { user: LOW } }, global: limit };
  return { ...serverEnvironment(port, mkdtempSync(join(folder, 'data-')), policies), ...more };
}

/** Measures admissions around the end of a window, for the limiters whose speed is compared above. */
async function exactness(origin: string): Promise<string> {
  const ways = ['client', 'client-on-redis', 'redis'] as const;
  const limiters = ways.map((way) => createHttpLimiter(WAYS[way], `${origin}/bursts/${way}`));
  const most = await mostAdmitted(limiters, 'edge', sendOverEdge);
  return [
    `${BURSTS} ${OVER_AN_EDGE}`,
    table(
      ['in the same application', 'over an edge', 'of the limit'],
      most.map((count, i) => [limiters[i]?.name ?? '', ...compareWithLimit(count)]),
    ),
  ].join('\n\n');
}

interface Result {
  way: Way;
  measured: Measured;
  /** Measurements of each round. */
  rounds: readonly Measured[];
}

/**
 * Measures the ways in turn, round after round. The first round warms up. @param cpu processor time so far in s, of the
 * servers that a way calls
 */
async function measure(
  origin: string,
  cpu: Readonly<Record<'app' | 'sluice' | 'redis', (way: Way) => number>>,
  rounds: number,
): Promise<Result[]> {
  const ways = Object.keys(WAYS) as Way[];
  const seen = ways.map((): Measured[] => []);
  const spent = (way: Way) => ({ app: cpu.app(way), sluice: cpu.sluice(way), redis: cpu.redis(way) });
  for (let round = 0; round <= rounds; round += 1) {
    for (const [i, way] of ways.entries()) {
      const milliseconds = round === 0 ? 2_000 : MILLISECONDS;
      const start = performance.now();
      const before = spent(way);
      const decided = way === 'nothing' ? Number.NaN : await decide(origin, way, milliseconds);
      const decisions = (decided / (performance.now() - start)) * 1000;
      const between = spent(way);
      const { requests, latency } = await load(`${origin}/requests/${way}`, milliseconds);
      const after = spent(way);
      if (round === 0) continue;
      const cost = (of: keyof typeof before) => ((between[of] - before[of]) / decided) * 1e6;
      const total = after.app + after.sluice + after.redis - between.app - between.sluice - between.redis;
      seen[i]?.push({
        decisions,
        app: cost('app'),
        sluice: cost('sluice'),
        redis: cost('redis'),
        requests: requests.average,
        request: (total / requests.total) * 1e6,
        p50: latency.p50,
        p99: latency.p99,
      });
    }
  }
  return ways.map((way, i) => {
    const own = seen[i] ?? [];
    const of = (field: keyof Measured) => median(own.map((measured) => measured[field]));
    const [decisions, app, sluice, redis] = [of('decisions'), of('app'), of('sluice'), of('redis')];
    const [requests, request, p50, p99] = [of('requests'), of('request'), of('p50'), of('p99')];
    return { way, measured: { decisions, app, sluice, redis, requests, request, p50, p99 }, rounds: own };
  });
}

/** Compares two ways within each round, so that a slow minute of the machine affects both. */
function ratios(results: readonly Result[]) {
  const of = (way: Way) => results.find((result) => result.way === way)?.rounds ?? [];
  return (way: Way, other: Way, field: keyof Measured) => {
    const others = of(other);
    const each = of(way).map((measured, round) => measured[field] / (others[round]?.[field] ?? Number.NaN));
    return `${median(each).toFixed(2)} ×`;
  };
}

/** Sends as many requests as run concurrently. Each decides in sequence until the time is over. */
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
