import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCounterState } from '@/lib/counters/counter-state';
import { RedisCounters } from '@/lib/counters/redis/store';
import type { CounterChange, Unspent } from '@/lib/counters/store';
import { createEmptyCounter } from '@/lib/limiter/counter';
import type { Meter } from '@/lib/limiter/meter';
import { computeSlot } from '@/lib/limiter/window';
import { LeasingModel } from '../../fixtures/leasing-model';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';

const LIMIT = 400;
const meterOf = (name: string, seconds: number, limit = LIMIT): Meter => {
  return { subject: 'ip', key: `ip|${name}|read|${seconds}`, limit, window: { kind: 'sliding', seconds }, lease: 100 };
};
const METERS = [1, 2, 60, 3_600].map((seconds) => meterOf('model', seconds));

describe.skipIf(redisIsMissing('integration/redis (leases)'))('permits of counters in Redis', () => {
  let server: RedisServer;
  let store: RedisCounters;

  const open = () =>
    RedisCounters.open({
      url: server.url,
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
      clock: () => Date.now(),
      newestRevision: async () => 7,
      installation: 'test',
      commandTimeout: 20_000,
    });
  const run = (change: CounterChange) => (change.kind === 'action' ? change.run() : Promise.reject(change));

  beforeAll(async () => {
    server = await RedisServer.start();
    store = await open();
    // The revision is known from the first decision on.
    expect(await store.leasing.take(7, meterOf('early', 60), 10)).toBeNull();
    await store.commit(7, [{ meters: [meterOf('first', 60)], cost: 1 }]);
  });
  afterAll(async () => {
    await store?.close();
    await server?.stop();
  });

  it('are taken and given back as in the model', async () => {
    const step = fc.record({
      of: fc.nat(METERS.length - 1),
      what: fc.constantFrom('take', 'take', 'take', 'give back', 'give back', 'decide', 'decide', 'clear'),
      count: fc.constantFrom(1, 2, 20, 100),
      pause: fc.constantFrom(0, 0, 0, 3, 20, 60),
    });
    const [steps] = fc.sample(fc.array(step, { minLength: 400, maxLength: 400 }), { seed: 20261123, numRuns: 1 });
    const model = new LeasingModel();
    model.revision = 7;
    // Of Redis and of the model, which have marks of their own.
    const held: [Unspent, Unspent][] = [];
    const taken: number[] = [];
    for (const { of, what, count, pause } of steps ?? []) {
      const meter = METERS[of]!;
      const { key, window } = meter;
      if (what === 'take' && window.kind === 'sliding') {
        const slice = (await store.leasing.take(7, meter, count))!;
        model.now = slice.now;
        const expected = (await model.take(7, meter, count))!;
        expect({ ...slice, mark: null }).toEqual({ ...expected, mark: null });
        const slot = computeSlot(slice.now, window.seconds);
        const unspent = ({ permits, mark }: typeof slice): Unspent => ({ key, slot, permits, mark });
        if (slice.permits > 0) held.push([unspent(slice), unspent(expected)]);
        taken.push(slice.permits);
      } else if (what === 'give back') {
        const some = held.splice(count % 3, 2);
        await store.leasing.returnPermits(some.map(([real]) => real));
        await model.returnPermits(some.map(([, modelled]) => modelled));
      } else if (what === 'decide') {
        const attempt = { meters: [meter], cost: count };
        const commit = await store.commit(7, [attempt]);
        if (commit.kind !== 'decided') throw new Error('The revision is the same.');
        model.now = commit.now;
        expect(commit.verdicts).toEqual([model.decide(attempt)]);
      } else if (what === 'clear') {
        if (count !== 1) continue;
        await run(
          of % 2 === 0
            ? store.clear({ keys: [key] })
            : store.clear({ prefix: key }, { seq: 1, until: Date.now() + 9_000 }),
        );
        model.clear(key);
        model.revision = 7;
      }
      await wait(pause);
    }
    for (const state of await store.read(METERS)) {
      const window = METERS.find(({ key }) => key === state.key)!.window;
      const counter = model.counters.get(state.key) ?? createEmptyCounter(window, state.now);
      expect(state).toEqual(buildCounterState(state.key, counter, window, state.now));
    }
    expect(new Set(taken).size).toBeGreaterThan(10);
  });

  it('are none of a counter whose rules have changed, and none of a month', async () => {
    expect(await store.leasing.take(6, meterOf('stale', 60), 10)).toBeNull();
    const month: Meter = { subject: 'quota', key: 'quota|k|month', limit: 100, window: { kind: 'month' } };
    expect(await store.leasing.take(7, month, 10)).toBeNull();
    expect(await store.listKeys('quota|k', 10)).toEqual([]);
  });

  it('are not given back to a Redis that has lost its data meanwhile', async () => {
    const meter = meterOf('lost', 3_600);
    const { mark, now, permits } = (await store.leasing.take(7, meter, 20))!;
    await server.admin.flushall();
    await store.commit(7, [{ meters: [meter], cost: 5 }]);
    await store.leasing.returnPermits([{ key: meter.key, slot: computeSlot(now, 3_600), permits, mark }]);
    expect((await store.read([meter]))[0]!.used).toBe(5);
  });

  it('go with their counter: no key is left without an expiry', async () => {
    await store.leasing.take(7, meterOf('expiry', 60), 20);
    const names = await server.admin.keys('*expiry*');
    expect(names.sort()).toEqual(['sluice:{c}:ip|expiry|read|60', 'sluice:{c}mark:ip|expiry|read|60']);
    for (const name of names) expect(await server.admin.pttl(name)).toBeGreaterThan(60_000);
    await run(store.clear({ prefix: 'ip|expiry|' }));
    expect(await server.admin.keys('*expiry*')).toEqual([]);
  });
});
