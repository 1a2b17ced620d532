import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisCounters } from '@/lib/counters/redis/store';
import type { CounterChange } from '@/lib/counters/store';
import type { Attempt, Window } from '@/lib/limiter/meter';
import { computeCalendarMonth } from '@/lib/limiter/window';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';

const MINUTE = { kind: 'sliding', seconds: 60 } as const;
const MONTH = { kind: 'month' } as const;
/** Number of the change that resets and undoes. */
const SEQ = 4711;
const PERMITS: Attempt['meters'][number] = { subject: 'ip', key: 'ip|192.0.2.1|read|60', limit: 1_000, window: MINUTE };

const damagedWindow = (field: string) => [field, `${'\xff'.repeat(24)}1:1;`];

describe.skipIf(redisIsMissing('integration/redis (replaced keys)'))('a key that another program has replaced', () => {
  let server: RedisServer;
  let store: RedisCounters;
  let round = 0;

  beforeAll(async () => {
    server = await RedisServer.start();
    store = await RedisCounters.open({
      url: server.url,
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
      clock: () => Date.now(),
      newestRevision: async () => 7,
      installation: 'test',
      commandTimeout: 60_000,
    });
    await store.writeStoreId('here');
  });
  afterAll(async () => {
    await store?.close();
    await server?.stop();
  });

  const attempt = (key: string, window: Window): Attempt => ({
    meters: [{ subject: 'user', key, limit: 1_000, window }],
    cost: 5,
  });
  const run = async (change: CounterChange) => {
    if (change.kind === 'action') await change.run();
  };

  /** Each call that the store offers. A call fails if the store is down. */
  const calls: Record<string, () => Promise<unknown>> = {
    'a decision': () => store.commit(7, [attempt('user|a|read|60', MINUTE), attempt('quota|a|month', MONTH)]),
    'a decision about others': () => store.commit(7, [attempt('user|b|read|60', MINUTE)]),
    'a settlement': () => settle(0),
    'a settlement that counts more': () => settle(9),
    'a read': () =>
      store.read([
        { key: 'user|a|read|60', window: MINUTE },
        { key: 'quota|a|month', window: MONTH },
      ]),
    'a lease': async () => {
      const slice = await store.leasing.take(7, PERMITS, 100);
      if (slice === null) return;
      const slot = Math.floor((slice.now * 60) / 60_000);
      await store.leasing.returnPermits([{ key: PERMITS.key, mark: slice.mark, slot, permits: slice.permits }]);
    },
    'a reset': () => run(store.clear({ keys: ['user|a|read|60'] }, { seq: SEQ, until: Date.now() + 60_000 })),
    'a reset of usage': () =>
      run(store.resetUsage({ key: 'quota|a|month', window: MONTH }, { seq: SEQ, until: Date.now() + 60_000 })),
    'an undo': () => run(store.restore(SEQ)),
    'a published revision': () => store.publish(7),
    'the start of a process': async () => [await store.isKnown(), await store.readStoreId()],
    'a check of readiness': () => store.ping(),
  };

  function settle(used: number) {
    round += 1;
    const charge = { at: Date.now(), cost: 5, used };
    const charges = [
      { ...charge, key: 'user|a|read|60', window: MINUTE },
      { ...charge, key: 'quota|a|month', window: MONTH },
    ];
    return store.commit(7, [], [{ id: `id${round}`, charges, keptFor: 60_000 }]);
  }

  const keys = [
    'sluice:{c}epoch',
    'sluice:{c}home',
    'sluice:{c}ping',
    'sluice:{c}:user|a|read|60',
    'sluice:{c}:quota|a|month',
    `sluice:{c}:${PERMITS.key}`,
    `sluice:{c}mark:${PERMITS.key}`,
    `sluice:{c}kept:${SEQ}`,
  ];
  const month = computeCalendarMonth(Date.now());
  const replacements: [kind: string, command: string, ...args: string[]][] = [
    ['a list', 'RPUSH', 'x'],
    ['a set', 'SADD', 'x'],
    ['a hash', 'HSET', 'x', 'y'],
    ['a hash of texts', 'HSET', `${month}`, 'nan', `f${month}`, '-1e400', `${month + 1}`, ''],
    ['a short text', 'SET', 'x'],
    ['a long text', 'SET', 'x'.repeat(100)],
    ['a hash of windows', 'HSET', ...['x', 'sluice:{c}:a', 'sluice:{c}:a|0', 'sluice:{c}:a|60'].flatMap(damagedWindow)],
    ['slots that lie far apart', 'SET', `${'\0'.repeat(24)}1:1;4000000000:1;`],
    ['an empty text', 'SET', ''],
  ];
  const cases = keys.flatMap((key) =>
    replacements.flatMap((replacement) => Object.keys(calls).map((name) => ({ key, replacement, name }))),
  );

  it('stops no call: it counts as empty', async () => {
    const failed: string[] = [];
    for (const { key, replacement, name } of cases) {
      const [kind, command, ...args] = replacement;
      await calls['a decision']?.();
      await server.admin.del(key);
      await server.admin.call(command, key, ...args);
      await calls[name]?.().catch((error: Error) => failed.push(`${name}, ${key} is ${kind}: ${error.message}`));
      await server.admin.del(key);
    }
    expect(failed).toEqual([]);
  });

  it('keeps a reset for its undo', async () => {
    const windows = [
      { key: 'user|d|read|60', window: MINUTE },
      { key: 'quota|d|month', window: MONTH },
    ] as const;
    const count = async () => (await store.read(windows)).map(({ used }) => used);
    for (const [, command, ...args] of replacements) {
      for (const { key, window } of windows) {
        await server.admin.del(`sluice:{c}kept:${SEQ}`, `sluice:{c}:${key}`);
        await store.commit(7, [attempt(key, window)]);
      }
      const kept = { seq: SEQ, until: Date.now() + 60_000 };
      await server.admin.call(command, `sluice:{c}kept:${SEQ}`, ...args);
      await run(store.clear({ keys: [windows[0].key] }, kept));
      await run(store.resetUsage(windows[1], kept));
      expect(await count()).toEqual([0, 0]);
      await run(store.restore(SEQ));
      expect(await count()).toEqual([5, 5]);
    }
  });

  it('counts again from the next request on', async () => {
    for (const [key, window] of [
      ['user|c|read|60', MINUTE],
      ['quota|c|month', MONTH],
    ] as const)
      for (const [, command, ...args] of replacements) {
        await server.admin.del(`sluice:{c}:${key}`);
        await server.admin.call(command, `sluice:{c}:${key}`, ...args);
        for (const used of [5, 10])
          expect(await store.commit(7, [attempt(key, window)])).toMatchObject({ verdicts: [{ readings: [{ used }] }] });
        expect(await server.admin.pttl(`sluice:{c}:${key}`)).toBeGreaterThan(0);
      }
  });
});
