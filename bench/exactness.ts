import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import fastifyRateLimit from '@fastify/rate-limit';
import { rateLimit as expressRateLimit } from 'express-rate-limit';
import fastify from 'fastify';
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterSQLite } from 'rate-limiter-flexible';
import { RedisServer, redisIsMissing } from '../tests/fixtures/redis-server';
import { flexible, type Limiter, own } from './limiters';
import { openRedisCounters } from './redis-contenders';
import { table } from './rounds';
import { embeddedCounters, openCounters } from './tables';

const LIMIT = 100;
const SECONDS = 3;
const AT_ONCE = 400;
const ROUNDS = 3;

/** Admitted against the limit: many at once, over the edge of a window, and by two limits of which one refuses. */
export async function run(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const limiters = await all(folder, ends);
    const rows = limiters.map(({ name }) => [name]);
    const measures = [
      (limiter: Limiter, round: number) => atOnce(limiter, `once ${round}`),
      (limiter: Limiter, round: number) => overEdge(limiter, `edge ${round}`),
    ];
    for (const measure of measures) {
      // One limiter after the other would take minutes of waiting: each waits for its own windows.
      const worst = await Promise.all(
        limiters.map(async (limiter) => {
          const counts: number[] = [];
          for (let round = 0; round < ROUNDS; round += 1) counts.push(await measure(limiter, round));
          return Math.max(...counts);
        }),
      );
      for (const [i, count] of worst.entries()) rows[i]?.push(`${count}`, `${(count / LIMIT).toFixed(2)} ×`);
    }
    return [
      `Limit ${LIMIT} in ${SECONDS} s for one client, the most of ${ROUNDS} runs. At once: ${AT_ONCE} requests in the same moment. Over an edge: one request begins a window, ${LIMIT} come in its last tenth and ${LIMIT} just after it; counted is what was admitted in those two bursts, which lie about an eighth of a window apart.`,
      table(['', 'at once', 'of the limit', 'over an edge', 'of the limit'], rows),
    ].join('\n\n');
  } finally {
    for (const end of ends.toReversed()) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A burst longer than half a window says nothing about one moment: it is repeated with another client. */
async function atOnce({ name, admits }: Limiter, client: string): Promise<number> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const start = performance.now();
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => admits(`${client} ${attempt}`)));
    const took = performance.now() - start;
    const admitted = answers.filter(Boolean).length;
    if (took < SECONDS * 500) return admitted;
    process.stderr.write(`${name}: ${admitted} admitted in a burst of ${Math.round(took)} ms, which is left out\n`);
  }
  throw new Error('The machine is too busy for a burst.');
}

/** The most admissions in any interval of a window's length. */
async function overEdge({ admits }: Limiter, client: string): Promise<number> {
  const length = SECONDS * 1_000;
  const start = performance.now();
  await admits(client);
  const admitted: number[] = [];
  const burst = async () => {
    const answers = await Promise.all(Array.from({ length: LIMIT }, () => admits(client)));
    admitted.push(answers.filter(Boolean).length);
  };
  await wait(start + length * 0.9 - performance.now());
  await burst();
  await wait(start + length * 1.03 - performance.now());
  await burst();
  if (performance.now() - start > length * 1.85) throw new Error('The machine is too busy to look at an edge.');
  return admitted.reduce((sum, count) => sum + count, 0);
}

async function all(folder: string, ends: (() => Promise<unknown>)[]): Promise<Limiter[]> {
  const embedded = embeddedCounters(openCounters(join(folder, 'sluice.db')));
  const sqlite = await new Promise<RateLimiterSQLite>((resolve, reject) => {
    const limiter: RateLimiterSQLite = new RateLimiterSQLite(
      { storeClient: openCounters(join(folder, 'peer.db')), storeType: 'better-sqlite3', tableName: 'peer', ...POINTS },
      (error) => (error ? reject(error) : resolve(limiter)),
    );
  });
  const limiters = [
    own('Sluice, embedded', embedded, RULE),
    flexible('rate-limiter-flexible, memory', new RateLimiterMemory(POINTS)),
    flexible('rate-limiter-flexible, SQLite', sqlite),
    await overExpress(ends),
    await overFastify(ends),
  ];
  if (redisIsMissing('bench exactness')) return limiters;
  const server = await RedisServer.start();
  const client = new Redis(server.url);
  const store = await openRedisCounters(server.url);
  ends.push(
    () => server.stop(),
    async () => client.disconnect(),
    () => store.close(),
  );
  const redis = [
    own('Sluice, Redis', store, RULE),
    flexible('rate-limiter-flexible, Redis', new RateLimiterRedis({ storeClient: client, ...POINTS })),
  ];
  return [
    ...limiters.slice(0, 1),
    ...redis.slice(0, 1),
    ...limiters.slice(1, 3),
    ...redis.slice(1),
    ...limiters.slice(3),
  ];
}

const POINTS = { points: LIMIT, duration: SECONDS };
const RULE = { limit: LIMIT, seconds: SECONDS };

interface ExpressApplication {
  use(middleware: unknown): void;
  get(path: string, handler: (request: unknown, response: { send(text: string): void }) => void): void;
  listen(port: number, host: string): Server;
}

async function overExpress(ends: (() => Promise<unknown>)[]): Promise<Limiter> {
  // It ships no types.
  const { default: express } = (await import('express' as string)) as { default: () => ExpressApplication };
  const app = express();
  const keyGenerator = (request: { headers: Record<string, unknown> }) => String(request.headers['x-client']);
  app.use(expressRateLimit({ limit: LIMIT, windowMs: SECONDS * 1_000, keyGenerator, validate: false }));
  app.get('/', (_request, response) => response.send(''));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return overHttp('express-rate-limit, memory', (server.address() as AddressInfo).port);
}

async function overFastify(ends: (() => Promise<unknown>)[]): Promise<Limiter> {
  const app = fastify({ forceCloseConnections: true });
  await app.register(fastifyRateLimit, {
    max: LIMIT,
    timeWindow: SECONDS * 1_000,
    keyGenerator: (request: { headers: Record<string, unknown> }) => String(request.headers['x-client']),
  });
  app.get('/', async () => '');
  await app.listen({ port: 0, host: '127.0.0.1' });
  ends.push(() => app.close());
  return overHttp('@fastify/rate-limit, memory', (app.server.address() as AddressInfo).port);
}

function overHttp(name: string, port: number): Limiter {
  return {
    name,
    admits: async (client) => {
      const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-client': client } });
      await response.arrayBuffer();
      return response.status === 200;
    },
  };
}
