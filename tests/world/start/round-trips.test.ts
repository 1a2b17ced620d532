import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundle } from '@/bench/bundle.mjs';
import { adminTokens } from '@/drizzle/schema';
import { hashSecret } from '@/lib/auth/secret-hash';
import { openRemoteDatabase } from '@/lib/db/database';
import { migrate } from '@/lib/db/migrate';
import { findStartState } from '@/lib/process/read-start-state';
import { close, listen } from '../../fixtures/listen';
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

/** Environment of a function. */
const FUNCTION = {
  ...{ PATH: process.env.PATH, NODE_ENV: 'test', SLUICE_LOG_LEVEL: 'silent', VERCEL: '1' },
  ...{ AUTH_SECRET: 'a-secret-of-more-than-32-characters', SLUICE_ADMIN_PASSWORD: 'correct horse battery staple' },
};

const suite = 'the round trips of a start';
const missing = [redisIsMissing(suite), sqldIsMissing(suite)].includes(true);

describe.skipIf(missing)(suite, () => {
  let sqld: SqldServer;
  let redis: RedisServer;
  let rest: UpstashServer;
  let script: string;

  beforeAll(async () => {
    [sqld, redis] = await Promise.all([SqldServer.start(), RedisServer.start({ port: 'free' })]);
    rest = await UpstashServer.start(redis.url);
    script = await bundle('tests/world/start/first-decision-process.ts');
    const database = sqld.open();
    await migrate(database, 'drizzle', 0);
    await database.drizzle.insert(adminTokens).values({
      ...{ id: 'token-1' as never, name: 'gateway', role: 'gateway', prefix: 'slt', tokenHash: hashSecret(TOKEN) },
      ...{ createdAt: 0, createdBy: 'test', revision: 1 },
    });
    database.close();
    await sqld.kill();
    sqld.backUp();
    await sqld.start();
  });
  afterEach(async () => {
    await sqld.kill();
    sqld.restore();
    await sqld.start();
    await redis.admin.flushall();
  });
  afterAll(async () => {
    await rest?.stop();
    await Promise.all([redis?.stop(), sqld?.stop()]);
  });

  /**
   * Starts a process whose database has a token and no other content, and lets it answer two checks of a caller with a stored token.
   * @param target port of the Redis, and the variables that name a relay to it
   * @param fewestTrips round trips of the start and both checks, which are reached on an idle machine
   * @returns the round trips of the start and of each check
   */
  async function start(target: { port: number; toEnv(port: number): Record<string, string> } | null, fewestTrips = 4) {
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
          ...{ ...FUNCTION, DATABASE_URL: `http://127.0.0.1:${database.port}` },
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
    try {
      // The first start creates the owner, and its decisions load the scripts.
      await run();
      for (const { relay } of [database, ...(store === null ? [] : [store])]) relay.delay = 80;
      // On a busy machine a call may time out, and calls that do not wait for each other may drift apart.
      let fewest = await run();
      for (let tries = 1; tries < 5 && sum(fewest) > fewestTrips; tries += 1) {
        const trips = await run();
        if (sum(trips) < sum(fewest)) fewest = trips;
      }
      return fewest;
    } finally {
      await Promise.all([database.relay.stop(), store?.relay.stop()]);
    }
  }

  it.each(['refuses writes', 'does not answer'])('reads from a replica if the primary %s', async (fault) => {
    // A server passes a transaction that may write to its primary, and answers others itself.
    const server = createServer(async (request, response) => {
      const body = await text(request);
      if (body.includes('IMMEDIATE')) {
        if (fault === 'refuses writes') response.writeHead(503).end();
        return;
      }
      const headers = { 'content-type': 'application/json' };
      const { method = 'GET', url = '/' } = request;
      const answer = await fetch(sqld.url + url, { method, headers, ...(body === '' ? {} : { body }) });
      response.writeHead(answer.status, headers).end(await answer.text());
    });
    onTestFinished(async () => {
      server.closeAllConnections();
      await close(server);
    });
    const database = openRemoteDatabase({
      ...{ url: `http://127.0.0.1:${await listen(server)}`, monotonic: () => performance.now(), wait },
      random: Math.random,
    });
    onTestFinished(() => database.close());
    expect(await findStartState(database, true)).toMatchObject({ first: { isFromPrimary: false } });
  });

  const both = { database: 1, redis: 1 };
  const ofRedis = { database: 0, redis: 1 };
  const ofDatabase = { database: 1, redis: 0 };

  // A database other than 0 must exist before a call is sent.
  it.each([
    { password: '', db: 0, ofStart: both },
    { password: 'a secret', db: 0, ofStart: both },
    { password: '', db: 1, ofStart: { database: 1, redis: 3 } },
  ])(
    'is one to each store before the first decision, with Redis over a socket: $password $db',
    async ({ password, db, ofStart }) => {
      await redis.admin.config('SET', 'requirepass', password);
      const login = encodeURIComponent(password);
      const toEnv = (port: number) => ({ REDIS_URL: `redis://:${login}@127.0.0.1:${port}/${db}` });
      expect(await start({ port: redis.port ?? 0, toEnv }, sum([ofStart]) + 2)).toEqual([ofStart, ofRedis, ofRedis]);
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
