import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RedisCounters } from '@/lib/counters/redis/store';
import type { CounterChange } from '@/lib/counters/store';
import type { Attempt, Window } from '@/lib/limiter/meter';
import { computeCalendarMonth } from '@/lib/limiter/window';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';

const MINUTE = { kind: 'sliding', seconds: 60 } as const;
const MONTH = { kind: 'month' } as const;

describe.skipIf(redisIsMissing('integration/redis (store)'))('counters in Redis', () => {
  let server: RedisServer;
  let store: RedisCounters;
  let now: number;

  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());
  afterEach(async () => {
    await store.close();
    await server.admin.call('FLUSHALL');
  });

  async function open(offset = 0): Promise<RedisCounters> {
    now = Date.now() + offset;
    store = await RedisCounters.open({
      url: server.url,
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
      clock: () => now,
      newestRevision: async () => 7,
      installation: 'test',
      commandTimeout: 60_000,
    });
    return store;
  }

  const attempt = (key: string, window: Window, cost = 1): Attempt => ({
    meters: [{ subject: 'user', key, limit: 1_000, window }],
    cost,
  });
  const run = (change: CounterChange) => (change.kind === 'action' ? change.run() : Promise.reject(change));
  const names = async () => ((await server.admin.keys('*')) as string[]).sort();

  it.each([-40, 40])(
    'count in the month of the server when the clock of the process is off by %d days',
    async (days) => {
      await open();
      now += days * 86_400_000;
      for (const used of [1, 2]) {
        const commit = await store.commit(7, [attempt('quota|a|month', MONTH)]);
        expect(commit).toMatchObject({ verdicts: [{ readings: [{ used }] }] });
      }
      const month = computeCalendarMonth(Date.now());
      expect(await server.admin.hgetall('sluice:{c}:quota|a|month')).toEqual({ [month]: '2' });
    },
  );

  it.each([-40, 3, 40])(
    'are read and reset in the month of the server when the clock of the process is off by %d days',
    async (days) => {
      await open();
      const quota = { key: 'quota|a|month', window: MONTH };
      await store.commit(7, [attempt(quota.key, MONTH)]);
      // The process has not compared the clocks since it started.
      await store.close();
      await open(days * 86_400_000);
      expect(await store.read([quota])).toMatchObject([{ used: 1 }]);
      const kept = { seq: 1, until: now + 60_000 };
      await run(store.resetUsage(quota, kept));
      expect(await store.read([quota])).toMatchObject([{ used: 0 }]);
      await run(store.restore(1));
      expect(await store.read([quota])).toMatchObject([{ used: 1 }]);
    },
  );

  it('stand under one hash tag, beside the revision', async () => {
    await open();
    await store.commit(7, [attempt('user|a|read|60', MINUTE), attempt('quota|b|month', MONTH)]);
    expect(await names()).toEqual(['sluice:{c}:quota|b|month', 'sluice:{c}:user|a|read|60', 'sluice:{c}epoch']);
    await store.ping();
    expect(await server.admin.get('sluice:{c}ping')).toBe('1');
    expect(await server.admin.pttl('sluice:{c}ping')).toBeGreaterThan(0);
    expect(await server.admin.pttl('sluice:{c}epoch')).toBeGreaterThan(31 * 86_400_000);
  });

  it('are read as they were counted, sliding ones and those of a month', async () => {
    await open();
    const before = Date.now();
    const commit = await store.commit(7, [attempt('user|a|read|60', MINUTE, 3), attempt('quota|b|month', MONTH, 5)]);
    if (commit.kind !== 'decided') throw new Error('The group was not decided.');
    // One machine, two clocks that read it: the server's time is in whole milliseconds.
    expect(commit.now).toBeGreaterThanOrEqual(before - 1);
    expect(commit.now).toBeLessThanOrEqual(Date.now() + 1);
    const [sliding, month, other] = await store.read([
      { key: 'user|a|read|60', window: MINUTE },
      { key: 'quota|b|month', window: MONTH },
      { key: 'user|nobody|read|60', window: MINUTE },
    ]);
    expect(sliding).toMatchObject({ key: 'user|a|read|60', used: 3 });
    expect(month).toMatchObject({ key: 'quota|b|month', used: 5 });
    expect(other).toMatchObject({ key: 'user|nobody|read|60', used: 0 });
  });

  it('of a month start over with the next one, and after a reset of usage', async () => {
    await open();
    await store.commit(7, [attempt('quota|b|month', MONTH, 5)]);
    await run(store.resetUsage({ key: 'quota|b|month', window: { kind: 'month' } }));
    expect((await store.read([{ key: 'quota|b|month', window: MONTH }]))[0]).toMatchObject({ used: 0 });
    await store.commit(7, [attempt('quota|b|month', MONTH, 2)]);
    expect((await store.read([{ key: 'quota|b|month', window: MONTH }]))[0]).toMatchObject({ used: 2 });
    const month = computeCalendarMonth(now);
    // What was counted lies in the month before: the month has turned since.
    await server.admin.hset('sluice:{c}:quota|b|month', `${month - 1}`, '2');
    await server.admin.hdel('sluice:{c}:quota|b|month', `${month}`);
    expect((await store.read([{ key: 'quota|b|month', window: MONTH }]))[0]).toMatchObject({ used: 0 });
  });

  it('are listed in order, up to a limit, by a prefix that is not a pattern', async () => {
    await open();
    const keys = ['user|c|read|60', 'user|a|read|60', 'user|b|read|60', 'user|[ab]|read|60', 'user|*|read|60'];
    await store.commit(
      7,
      keys.map((key) => attempt(key, MINUTE)),
    );
    expect(await store.listKeys('user|', 10)).toEqual([...keys].sort());
    expect(await store.listKeys('user|', 2)).toHaveLength(2);
    expect(await store.listKeys('user|[ab]|', 10)).toEqual(['user|[ab]|read|60']);
    expect(await store.listKeys('user|*|', 10)).toEqual(['user|*|read|60']);
    expect(await store.listKeys('ip|', 10)).toEqual([]);
  });

  it('are all found where the server hands them out in steps', async () => {
    await open();
    const keys = Array.from({ length: 5_000 }, (_, i) => `user|${String(i).padStart(5, '0')}|read|60`);
    for (let i = 0; i < keys.length; i += 500)
      await store.commit(
        7,
        keys.slice(i, i + 500).map((key) => attempt(key, MINUTE)),
      );
    expect(await store.listKeys('user|', 10_000)).toEqual(keys);
    await run(store.clear({ keys: keys.slice(0, 1_500) }));
    expect(await store.listKeys('user|', 10_000)).toEqual(keys.slice(1_500));
    await run(store.clear({ prefix: 'user|04' }));
    expect(await store.listKeys('user|', 10_000)).toEqual(keys.slice(1_500, 4_000));
    await run(store.clear({ prefix: 'ip|' }));
    await run(store.clear({ keys: [] }));
    await run(store.clear({ prefix: 'user|' }));
    expect(await names()).toEqual(['sluice:{c}epoch']);
    expect(await store.sweep(1_000)).toBe(0);
  });

  it('answer no more once the store is closed', async () => {
    await open();
    await store.close();
    await expect(store.ping()).rejects.toThrow();
    await expect(store.commit(7, [attempt('user|a|read|60', MINUTE)])).rejects.toThrow();
  });
});
