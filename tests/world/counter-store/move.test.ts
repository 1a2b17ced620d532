import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { desc } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { audit } from '@/drizzle/schema';
import { adoptCounters, planAdoption } from '@/lib/admin/counter-store/adopt';
import { CountersElsewhere } from '@/lib/admin/counter-store/claim';
import { type MoveOptions, moveCounters } from '@/lib/admin/counter-store/move';
import { SYSTEM } from '@/lib/auth/actor';
import { StoreUnavailable } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import type { Attempt } from '@/lib/limiter/meter';
import type { Services } from '@/lib/operation/services';
import { commandLine } from '../../fixtures/command-line';
import { type MigratedDatabase, migratedDatabase } from '../../fixtures/migrated-database';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { servicesOn } from '../../fixtures/services';
import { UpstashServer } from '../../fixtures/upstash-server';

const clock = () => Date.now();

/** A request of one key from one address. */
const ask = (name: string, limit = 1_000_000): Attempt => ({
  meters: [
    { subject: 'ip', key: `ip|${name}|read|3600`, limit, window: { kind: 'sliding', seconds: 3600 } },
    { subject: 'quota', key: `quota|${name}|month`, limit, window: { kind: 'month' } },
  ],
  cost: 1,
});

async function start(database: Database, env: Record<string, string> = {}): Promise<Services> {
  const services = await servicesOn(database, env, clock);
  onTestFinished(() => services.counters.close());
  return services;
}

/** Decides as a process does, with the rules as they are; how much of the two meters is used then. */
async function decide({ counters, rules }: Services, attempt: Attempt): Promise<(number | undefined)[]> {
  for (;;) {
    const commit = await counters.commit(rules.current.revision, [attempt]);
    if (commit.kind === 'decided') return commit.verdicts[0]?.readings.map(({ used }) => used) ?? [];
    await rules.refresh();
  }
}

describe.skipIf(redisIsMissing('integration/counter-store'))('counters that move to another store', () => {
  let redis: RedisServer;
  let file: MigratedDatabase;
  beforeAll(async () => {
    redis = await RedisServer.start({ port: 'free' });
  });
  afterAll(() => redis.stop());
  beforeEach(async () => {
    await redis.admin.flushall();
    file = await migratedDatabase();
    return () => file[Symbol.dispose]();
  });

  const move = (options: Partial<MoveOptions> = {}) =>
    moveCounters({
      ...{ database: file.reopen(), redisUrl: redis.url, fromRedisUrl: undefined, overwrite: false },
      ...{ actor: SYSTEM, clock, newId: randomUUID },
      ...options,
    });
  const records = async () =>
    (await file.database.drizzle.select().from(audit).orderBy(desc(audit.seq))).map(({ action, target }) => [
      action,
      target,
    ]);

  it('come from one Redis to another over HTTP, and stay when only the way to it changes', async () => {
    const first = await start(file.database, { REDIS_URL: redis.url });
    for (let i = 0; i < 30; i += 1) await decide(first, ask('h'));
    const rest = await UpstashServer.start(redis.url);
    onTestFinished(() => rest.stop());
    const other = await RedisServer.start();
    onTestFinished(() => other.stop());
    const otherRest = await UpstashServer.start(other.url);
    onTestFinished(() => otherRest.stop());
    expect(await decide(await start(file.reopen(), rest.env), ask('h'))).toEqual([31, 31]);
    await expect(start(file.reopen(), otherRest.env)).rejects.toThrow(
      `REDIS_URL names http://127.0.0.1:${otherRest.port}.`,
    );
    const moved = await move({ redisUrl: otherRest.url, fromRedisUrl: rest.url });
    expect(moved).toMatchObject({ to: { address: `http://127.0.0.1:${otherRest.port}` }, counters: { requests: 31 } });
    expect(await decide(await start(file.reopen(), otherRest.env), ask('h'))).toEqual([32, 32]);
    expect(JSON.stringify(await file.reopen().drizzle.select().from(audit))).not.toContain('token-of');
  });

  it('stop a start that would forget them, and come along with their month and windows', async () => {
    const before = await start(file.database);
    for (let i = 0; i < 40; i += 1) await decide(before, ask('a'));
    await expect(start(file.reopen(), { REDIS_URL: redis.url })).rejects.toThrow(
      /^2 counters are in the database file, and REDIS_URL names redis:\/\/127\.0\.0\.1:\d+\/0\.\nCarry them over, once for all instances: `npx sluice counters move`\. To do without them: `npx sluice counters adopt`\.$/,
    );
    const moved = await move();
    expect(moved.counters).toEqual({ keys: 1, requests: 40, windows: 1 });
    expect((await records()).slice(0, 2)).toEqual([
      ['counter_store.arrive', `Redis at ${redis.url}/0`],
      ['counter_store.move', `Redis at ${redis.url}/0`],
    ]);
    const after = await start(file.reopen(), { REDIS_URL: redis.url });
    expect(await decide(after, ask('a'))).toEqual([40, 40].map((used) => used + 1));
    // What still runs with the former settings counts nothing any more.
    await expect(decide(before, ask('a'))).rejects.toThrow(/The counters were moved to Redis at/);
    await expect(decide(before, ask('a'))).rejects.toThrow(StoreUnavailable);
    expect(await decide(after, ask('a'))).toEqual([42, 42]);
    expect((await move()).counters).toBeNull();
  });

  it('come back, and to another Redis, from the one that is named', async () => {
    const other = await RedisServer.start({ port: 'free' });
    onTestFinished(() => other.stop());
    const first = await start(file.database, { REDIS_URL: redis.url });
    for (let i = 0; i < 30; i += 1) await decide(first, ask('b'));
    await expect(start(file.reopen())).rejects.toThrow(
      /are in Redis at .* REDIS_URL is not set\.\n.*SLUICE_FROM_REDIS_URL/,
    );
    await expect(start(file.reopen(), { REDIS_URL: other.url })).rejects.toThrow(CountersElsewhere);
    await expect(move({ redisUrl: other.url })).rejects.toThrow(/set SLUICE_FROM_REDIS_URL/);
    await expect(move({ redisUrl: undefined, fromRedisUrl: other.url })).rejects.toThrow(/leads to Redis at/);
    expect((await move({ redisUrl: other.url, fromRedisUrl: redis.url })).counters?.requests).toBe(30);
    expect(await decide(await start(file.reopen(), { REDIS_URL: other.url }), ask('b'))).toEqual([31, 31]);
    await expect(decide(first, ask('b'))).rejects.toThrow(StoreUnavailable);
    expect((await move({ redisUrl: undefined, fromRedisUrl: other.url })).counters?.requests).toBe(31);
    expect(await decide(await start(file.reopen()), ask('b'))).toEqual([32, 32]);
    // What the first Redis still holds is replaced, not added to.
    expect((await move()).counters?.requests).toBe(32);
    expect(await decide(await start(file.reopen(), { REDIS_URL: redis.url }), ask('b'))).toEqual([33, 33]);
  });

  it('are given up on purpose only, which the audit log says', async () => {
    const before = await start(file.database);
    for (let i = 0; i < 5; i += 1) await decide(before, ask('c'));
    const options = { database: file.reopen(), redisUrl: redis.url, clock };
    const plan = await planAdoption(options);
    expect(plan).toMatchObject({ lost: { keys: 1, requests: 5 }, found: { keys: 0, requests: 0 }, isNew: true });
    await adoptCounters({ ...options, actor: SYSTEM, newId: randomUUID }, plan);
    expect((await records())[0]).toEqual(['counter_store.adopt', `Redis at ${redis.url}/0`]);
    const after = await start(file.reopen(), { REDIS_URL: redis.url });
    expect(await decide(after, ask('c'))).toEqual([1, 1]);
    await expect(decide(before, ask('c'))).rejects.toThrow(StoreUnavailable);
    expect((await planAdoption(options)).isNew).toBe(false);
  });

  it('need nothing where nothing was counted, another name of the same Redis, or an empty one after a crash', async () => {
    await start(file.database);
    await start(file.reopen(), { REDIS_URL: redis.url });
    expect((await records())[0]?.[0]).toBe('counter_store.adopt');
    const renamed = redis.url.replace('127.0.0.1', 'localhost');
    expect(await decide(await start(file.reopen(), { REDIS_URL: renamed }), ask('d'))).toEqual([1, 1]);
    await redis.admin.flushall();
    expect(await decide(await start(file.reopen(), { REDIS_URL: redis.url }), ask('d'))).toEqual([1, 1]);
  });

  it('do not replace those of another installation by accident', async () => {
    const stranger = await migratedDatabase();
    onTestFinished(() => stranger[Symbol.dispose]());
    await decide(await start(stranger.database, { REDIS_URL: redis.url }), ask('e'));
    await decide(await start(file.database), ask('e'));
    await expect(move()).rejects.toThrow(/another Sluice installation/);
    expect((await move({ overwrite: true })).counters?.requests).toBe(1);
  });

  it('are all there once, however often the move is killed', async () => {
    const before = await start(file.database);
    const attempts = Array.from({ length: 3_000 }, (_, i) => ask(`key-${i % 1_500}`));
    for (let i = 0; i < attempts.length; i += 500) {
      await before.counters.commit(before.rules.current.revision, attempts.slice(i, i + 500));
    }
    const { start: run } = await commandLine();
    const env = { DATABASE_URL: `file:${file.path}`, REDIS_URL: redis.url };
    const moment = async (isThere: () => Promise<boolean>) => {
      const running = run(['counters', 'move', '--json'], { env });
      let ended = false;
      void running.ended.then(() => {
        ended = true;
      });
      while (!ended && !(await isThere())) await wait(1);
      running.signal('SIGKILL');
      return running.ended;
    };
    const said = async (action: string) => (await records())[0]?.[0] === action;
    expect((await moment(() => said('counter_store.move'))).code).toBeNull();
    await expect(start(file.reopen(), { REDIS_URL: redis.url })).rejects.toThrow(/was not finished/);
    await moment(async () => (await redis.admin.dbsize()) > 700);
    await moment(async () => (await redis.admin.dbsize()) > 2_500);
    const last = await run(['counters', 'move', '--json'], { env }).ended;
    expect(last).toMatchObject({ code: 0, stderr: '' });
    const after = await start(file.reopen(), { REDIS_URL: redis.url });
    expect((await records())[0]?.[0]).toBe('counter_store.arrive');
    for (const name of ['key-0', 'key-777', 'key-1499']) expect(await decide(after, ask(name))).toEqual([3, 3]);
    expect(await after.counters.listKeys('quota|', 10_000)).toHaveLength(1_500);
  });

  it('stop every start while a move is not finished, until it is, or is given up', async () => {
    const before = await start(file.database);
    await decide(before, ask('f'));
    await redis.admin.config('SET', 'maxmemory', '1');
    await expect(move()).rejects.toThrow(StoreUnavailable);
    onTestFinished(() => redis.admin.config('SET', 'maxmemory', '0') as unknown as Promise<void>);
    await expect(decide(before, ask('f'))).rejects.toThrow(/are being moved to Redis/);
    for (const redisUrl of ['', redis.url]) {
      await expect(start(file.reopen(), { REDIS_URL: redisUrl })).rejects.toThrow(
        /was not finished: run `npx sluice counters move` again/,
      );
    }
    await expect(move({ redisUrl: undefined })).rejects.toThrow(/run `sluice counters adopt`/);
    const stay = { database: file.reopen(), redisUrl: undefined, clock };
    const plan = await planAdoption(stay);
    expect(plan).toMatchObject({ isNew: true, lost: { requests: 0 }, found: { requests: 1 } });
    await adoptCounters({ ...stay, actor: SYSTEM, newId: randomUUID }, plan);
    expect(await decide(await start(file.reopen()), ask('f'))).toEqual([2, 2]);
  });
});
