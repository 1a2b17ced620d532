import { fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '@/bench/bundle.mjs';
import { adminTokens } from '@/drizzle/schema';
import { hashSecret } from '@/lib/auth/secret-hash';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { SqldServer, sqldIsMissing } from '../../fixtures/sqld-server';
import { TripRelay } from '../../fixtures/trip-relay';
import { UpstashServer } from '../../fixtures/upstash-server';

interface Trips {
  database: number;
  redis: number;
}
const sum = (all: readonly Trips[]) => all.reduce((total, { database, redis }) => total + database + redis, 0);

const TOKEN = 'a-token-that-the-database-holds-0123456789-0123456';

const suite = 'the round trips of a start';
const missing = [redisIsMissing(suite), sqldIsMissing(suite)].includes(true);

describe.skipIf(missing)(suite, () => {
  let redis: RedisServer;
  let rest: UpstashServer;
  let script: string;

  beforeAll(async () => {
    redis = await RedisServer.start({ port: 'free' });
    rest = await UpstashServer.start(redis.url);
    script = await bundle('tests/world/start/first-decision-process.ts');
  });
  afterAll(async () => {
    await rest?.stop();
    await redis?.stop();
  });

  /**
   * Starts a process on a new database, and lets it answer two checks of a caller with a stored token.
   * @param target port of the Redis, and the variables that name a relay to it
   * @returns the round trips of the start and of each check
   */
  async function start(target: { port: number; toEnv(port: number): Record<string, string> } | null) {
    const sqld = await SqldServer.start();
    const database = await TripRelay.start(Number(new URL(sqld.url).port));
    const store = target === null ? null : await TripRelay.start(target.port);
    const count = () => ({ database: database.relay.trips, redis: store?.relay.trips ?? 0 });
    const run = async () => {
      const before = count();
      const trips: Trips[] = [];
      const takeTrips = () => {
        const { database, redis } = count();
        trips.push({ database: database - before.database, redis: redis - before.redis });
        Object.assign(before, { database, redis });
      };
      const child = fork(script, {
        cwd: process.cwd(),
        env: {
          ...{ PATH: process.env.PATH, NODE_ENV: 'test', SLUICE_LOG_LEVEL: 'silent', VERCEL: '1' },
          ...{ DATABASE_URL: `http://127.0.0.1:${database.port}`, AUTH_SECRET: 'a-secret-of-more-than-32-characters' },
          ...{ SLUICE_ADMIN_PASSWORD: 'correct horse battery staple' },
          ...(store === null ? {} : target?.toEnv(store.port)),
        } as unknown as NodeJS.ProcessEnv,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      const ended = once(child, 'exit');
      try {
        expect(await once(child, 'message')).toContain('started');
        takeTrips();
        for (const ip of ['192.0.2.1', '192.0.2.2']) {
          child.send({ token: TOKEN, ip });
          // A class that fails closed: no decision is made without the store.
          expect(String(await once(child, 'message'))).toMatch(/^200 .*"allowed":true.*"limit":10/);
          takeTrips();
        }
        return trips;
      } finally {
        child.disconnect();
        await ended;
      }
    };
    const own = sqld.open();
    try {
      // The first start migrates and has no token, and its decisions load the scripts.
      await run().catch(() => undefined);
      await own.drizzle.insert(adminTokens).values({
        ...{ id: 'token-1' as never, name: 'gateway', role: 'gateway', prefix: 'slt', tokenHash: hashSecret(TOKEN) },
        ...{ createdAt: 0, createdBy: 'test', revision: 1 },
      });
      await run();
      for (const { relay } of [database, ...(store === null ? [] : [store])]) relay.delay = 80;
      // On a busy machine a call may time out, and calls that do not wait for each other may drift apart.
      let fewest = await run();
      for (let tries = 1; tries < 5 && sum(fewest) > 4; tries += 1) {
        const trips = await run();
        if (sum(trips) < sum(fewest)) fewest = trips;
      }
      return fewest;
    } finally {
      own.close();
      await Promise.all([database.relay.stop(), store?.relay.stop()]);
      await sqld.stop();
      await redis.admin.flushall();
    }
  }

  const both = { database: 1, redis: 1 };
  const ofRedis = { database: 0, redis: 1 };
  const ofDatabase = { database: 1, redis: 0 };

  it.each(['', 'a secret'])(
    'is one to each store before the first decision, with Redis over a socket and the password "%s"',
    async (password) => {
      await redis.admin.config('SET', 'requirepass', password);
      const toEnv = (port: number) => ({ REDIS_URL: `redis://:${encodeURIComponent(password)}@127.0.0.1:${port}/1` });
      expect(await start({ port: redis.port ?? 0, toEnv })).toEqual([both, ofRedis, ofRedis]);
      await redis.admin.config('SET', 'requirepass', '');
    },
  );

  it('is one to each store before the first decision, with Redis over HTTP', async () => {
    const toEnv = (port: number) => ({ ...rest.env, UPSTASH_REDIS_REST_URL: `http://127.0.0.1:${port}` });
    expect(await start({ port: rest.port, toEnv })).toEqual([both, ofRedis, ofRedis]);
  });

  it('is one before the first decision, with counters in the database', async () => {
    expect(await start(null)).toEqual([ofDatabase, ofDatabase, ofDatabase]);
  });
});
