import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '@/bench/bundle.mjs';
import { close, listen } from '../../fixtures/listen';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { SqldServer, sqldIsMissing } from '../../fixtures/sqld-server';
import { UpstashServer } from '../../fixtures/upstash-server';

interface RoundTrips {
  database: number;
  redis: number;
}

const suite = 'the round trips of a start';
const missing = [redisIsMissing(suite), sqldIsMissing(suite)].includes(true);

describe.skipIf(missing)(suite, () => {
  let sqld: SqldServer;
  let redis: RedisServer;
  let rest: UpstashServer;
  let script: string;
  /** Requests to the database. */
  let queries = 0;
  const relay = createServer((incoming, answer) => {
    queries += 1;
    const { method, url, headers } = incoming;
    const outgoing = request(new URL(url ?? '/', sqld.url), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(outgoing);
  });
  let port: number;
  const roundTrips = (): RoundTrips => ({ database: queries, redis: rest.requests.length });
  const subtract = (all: RoundTrips, before: RoundTrips): RoundTrips => ({
    database: all.database - before.database,
    redis: all.redis - before.redis,
  });

  beforeAll(async () => {
    [sqld, redis] = await Promise.all([SqldServer.start(), RedisServer.start()]);
    rest = await UpstashServer.start(redis.url);
    port = await listen(relay);
    script = await bundle('tests/world/start/first-decision-process.ts');
  });
  afterAll(async () => {
    await close(relay);
    await rest?.stop();
    await redis?.stop();
    await sqld?.stop();
  });

  /**
   * Starts a process and lets it decide twice. Returns the round trips of each decision.
   * @param ofStart the expected round trips of the start, which does not wait for all of them
   */
  async function start(store: Record<string, string>, ofStart?: RoundTrips) {
    const before = roundTrips();
    const since = () => subtract(roundTrips(), before);
    const child = fork(script, {
      cwd: process.cwd(),
      env: {
        ...{ PATH: process.env.PATH, NODE_ENV: 'test', SLUICE_LOG_LEVEL: 'silent', VERCEL: '1' },
        ...{ DATABASE_URL: `http://127.0.0.1:${port}`, AUTH_SECRET: 'a-secret-of-more-than-32-characters' },
        ...{ SLUICE_ADMIN_PASSWORD: 'correct horse battery staple', ...store },
      } as unknown as NodeJS.ProcessEnv,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const ended = once(child, 'exit');
    expect(await once(child, 'message')).toContain('started');
    if (ofStart !== undefined) await expect.poll(since).toEqual(ofStart);
    const decisions: RoundTrips[] = [];
    for (const ip of ['192.0.2.1', '192.0.2.2']) {
      const earlier = since();
      child.send(ip);
      expect(await once(child, 'message')).toContain('decided');
      decisions.push(subtract(since(), earlier));
    }
    child.disconnect();
    await ended;
    return decisions;
  }

  it('are few, with Redis over HTTP', async () => {
    // The first start migrates, and the first decisions load the scripts.
    await start(rest.env);
    const each = { database: 0, redis: 1 };
    expect(await start(rest.env, { database: 3, redis: 3 })).toEqual([each, each]);
  });

  it('are few, with counters in the database', async () => {
    const other = await SqldServer.start();
    const former = sqld;
    sqld = other;
    try {
      await start({});
      const each = { database: 1, redis: 0 };
      expect(await start({}, { database: 2, redis: 0 })).toEqual([each, each]);
    } finally {
      sqld = former;
      await other.stop();
    }
  });
});
