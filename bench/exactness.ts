import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastifyRateLimit from '@fastify/rate-limit';
import { rateLimit as expressRateLimit } from 'express-rate-limit';
import fastify from 'fastify';
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterSQLite } from 'rate-limiter-flexible';
import { RedisServer, redisIsMissing } from '../tests/fixtures/redis-server';
import { AT_ONCE, BURSTS, compareWithLimit, mostAdmitted, OVER_AN_EDGE, RULE, sendBurst, sendOverEdge } from './bursts';
import { createFlexibleLimiter, createHttpLimiter, createOwnLimiter, type Limiter } from './limiters';
import { openRedisCounters } from './redis-contenders';
import { table } from './rounds';
import { embeddedCounters, openCounters } from './tables';

const { limit: LIMIT, seconds: SECONDS } = RULE;

/**
 * Measures admissions against the limit: many at once, around the end of a window, and with two limits of which one
 * refuses.
 */
export async function run(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const limiters = await openLimiters(folder, ends);
    const rows = limiters.map(({ name }) => [name]);
    for (const [name, burst] of Object.entries({ once: sendBurst, edge: sendOverEdge })) {
      const most = await mostAdmitted(limiters, name, burst);
      for (const [i, count] of most.entries()) rows[i]?.push(...compareWithLimit(count));
    }
    return [
      `${BURSTS} At once: ${AT_ONCE} requests in the same moment. ${OVER_AN_EDGE}`,
      table(['', 'at once', 'of the limit', 'over an edge', 'of the limit'], rows),
    ].join('\n\n');
  } finally {
    for (const end of ends.toReversed()) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openLimiters(folder: string, ends: (() => Promise<unknown>)[]): Promise<Limiter[]> {
  const embedded = embeddedCounters(openCounters(join(folder, 'sluice.db')));
  const sqlite = await new Promise<RateLimiterSQLite>((resolve, reject) => {
    const limiter: RateLimiterSQLite = new RateLimiterSQLite(
      { storeClient: openCounters(join(folder, 'peer.db')), storeType: 'better-sqlite3', tableName: 'peer', ...POINTS },
      (error) => (error ? reject(error) : resolve(limiter)),
    );
  });
  const limiters = [
    createOwnLimiter('Sluice, embedded', embedded, RULE),
    createFlexibleLimiter('rate-limiter-flexible, memory', new RateLimiterMemory(POINTS)),
    createFlexibleLimiter('rate-limiter-flexible, SQLite', sqlite),
    await startExpress(ends),
    await startFastify(ends),
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
    createOwnLimiter('Sluice, Redis', store, RULE),
    createFlexibleLimiter('rate-limiter-flexible, Redis', new RateLimiterRedis({ storeClient: client, ...POINTS })),
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

interface ExpressApplication {
  use(middleware: unknown): void;
  get(path: string, handler: (request: unknown, response: { send(text: string): void }) => void): void;
  listen(port: number, host: string): Server;
}

async function startExpress(ends: (() => Promise<unknown>)[]): Promise<Limiter> {
  // The package has no types.
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
  return createHttpLimiter('express-rate-limit, memory', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

async function startFastify(ends: (() => Promise<unknown>)[]): Promise<Limiter> {
  const app = fastify({ forceCloseConnections: true });
  await app.register(fastifyRateLimit, {
    max: LIMIT,
    timeWindow: SECONDS * 1_000,
    keyGenerator: (request: { headers: Record<string, unknown> }) => String(request.headers['x-client']),
  });
  app.get('/', async () => '');
  await app.listen({ port: 0, host: '127.0.0.1' });
  ends.push(() => app.close());
  return createHttpLimiter(
    '@fastify/rate-limit, memory',
    `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
  );
}
