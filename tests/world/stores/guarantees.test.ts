import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCounterState } from '@/lib/counters/counter-state';
import type { Commit, CounterStore } from '@/lib/counters/store';
import { type Counter, createEmptyCounter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Attempt, Meter, Window } from '@/lib/limiter/meter';
import { createMonths, encodeWindow } from '@/lib/limiter/month-anchor';
import { computeMonthEnd } from '@/lib/limiter/window';
import { OWN_COST } from '../../fixtures/random-groups';
import { type OpenedStore, STORES } from './opened-stores';

const MONTH: Window = { kind: 'month' };
/** By name of the key: the last day of a month as its anchor, and one that was moved. */
const ANCHORED: Readonly<Record<string, Partial<Meter>>> = {
  m: { window: createMonths(31, 0) },
  n: { window: createMonths(15, -1) },
};

function meter(key: string, limit: number, seconds: number, over: Partial<Meter> = {}): Meter {
  return { subject: 'ip', key: `ip|${key}|read|${seconds}`, limit, window: { kind: 'sliding', seconds }, ...over };
}

function quota(key: string, limit: number, over: Partial<Meter> = {}): Meter {
  return { subject: 'quota', key: `quota|${key}|month`, limit, window: MONTH, ...over };
}

function attempt(...meters: Meter[]): Attempt {
  return { meters, cost: 1 };
}

/** What was decided; a group that was not fails the test. */
function decided(commit: Commit) {
  if (commit.kind !== 'decided') throw new Error(`The store says that the revision is ${commit.revision}.`);
  return commit;
}

/** Meters of few counters, so that attempts meet: two lengths of window that end while the test runs, one that does not, months. */
function meters(scope: string) {
  const limit = fc.integer({ min: 0, max: 12 });
  const unlimited = fc.tuple(fc.integer({ min: 0, max: 7 }), OWN_COST).map(([n, cost]) => {
    return { ...(n === 0 ? { unlimited: true } : {}), ...(cost === undefined ? {} : { cost }) };
  });
  return fc.array(
    fc.oneof(
      fc
        .tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(1, 2, 3600), limit, unlimited)
        .map(([name, seconds, most, over]) => meter(`${scope}${name}`, most, seconds, over)),
      fc
        .tuple(fc.constantFrom('k', 'l', 'm', 'n'), limit, unlimited)
        .map(([name, most, over]) => quota(scope + name, most * 5, { ...over, ...ANCHORED[name] })),
    ),
    { minLength: 0, maxLength: 4 },
  );
}

function groups(scope: string) {
  const attempt = fc.record({ meters: meters(scope), cost: fc.constantFrom(1, 1, 1, 1, 0, 2, 5) });
  // Runs of the same attempt are what a client in a hurry sends.
  const run = fc
    .tuple(attempt, fc.constantFrom(1, 1, 1, 4))
    .map(([same, times]) => Array.from({ length: times }, () => same));
  const group = fc.array(run, { minLength: 1, maxLength: 12 }).map((runs) => runs.flat());
  return fc.array(fc.tuple(group, fc.constantFrom(0, 0, 5, 20, 60, 300)), { minLength: 30, maxLength: 30 });
}

describe.each(STORES.filter(({ missing }) => !missing))('the $name store', ({ open }) => {
  let opened: OpenedStore;
  let store: CounterStore;
  let revision = 0;

  beforeAll(async () => {
    opened = await open();
    store = opened.store;
  });
  afterAll(() => opened?.close());

  const commit = async (...attempts: Attempt[]) => decided(await store.commit(revision, attempts));

  it('decides every group as the judge does, at the moment that it names', async () => {
    const [first, second] = fc.sample(groups('m'), { seed: 20261121, numRuns: 2 });
    const counters = new Map<string, Counter>();
    for (const [attempts, pause] of [...first!, ...second!]) {
      const { now, verdicts } = await commit(...attempts);
      const expected = evaluateGroup(attempts, now, counters);
      expect(verdicts).toEqual(expected.verdicts);
      for (const { key, counter } of expected.changed) counters.set(key, counter);
      await wait(pause);
    }
    const asked = [1, 2, 3600].flatMap((seconds) => ['ma', 'mb', 'mc'].map((name) => meter(name, 1, seconds)));
    const states = await store.read([...asked, quota('mk', 1), quota('ml', 1)]);
    for (const state of states) {
      const counter = counters.get(state.key);
      const window = [...asked, quota('mk', 1), quota('ml', 1)].find(({ key }) => key === state.key)!.window;
      expect(state).toEqual(
        buildCounterState(state.key, counter ?? createEmptyCounter(window, state.now), window, state.now),
      );
    }
  });

  it('admits as much as the limit, from many callers at once', async () => {
    const attempts = Array.from({ length: 40 }, () => attempt(meter('many', 100, 3600)));
    const answers = await Promise.all(Array.from({ length: 10 }, () => commit(...attempts)));
    expect(answers.flatMap(({ verdicts }) => verdicts).filter(({ admitted }) => admitted)).toHaveLength(100);
  });

  it('touches no counter of an attempt that one of its meters refuses', async () => {
    const full = meter('full', 1, 3600);
    const { verdicts } = await commit(
      attempt(full),
      attempt(meter('free', 9, 3600), quota('free', 9), full),
      attempt(meter('free', 9, 3600), quota('free', 9)),
    );
    expect(verdicts.map(({ admitted }) => admitted)).toEqual([true, false, true]);
    expect(verdicts[1]!.readings.map(({ used, retryAt }) => [used, retryAt === null])).toEqual([
      [0, true],
      [0, true],
      [1, false],
    ]);
    const [free, month] = await store.read([meter('free', 9, 3600), quota('free', 9)]);
    expect([free!.used, month!.used]).toEqual([1, 1]);
  });

  it('counts a counter once when several meters of an attempt name it, under the least of their limits', async () => {
    const twice = attempt(
      meter('twice', 5, 3600),
      meter('twice', 2, 3600),
      meter('twice', 0, 3600, { unlimited: true }),
    );
    const { verdicts } = await commit(twice, twice, twice);
    expect(verdicts.map(({ admitted }) => admitted)).toEqual([true, true, false]);
    expect(verdicts[2]!.readings.map(({ used, retryAt }) => [used, retryAt === null])).toEqual([
      [2, true],
      [2, false],
      [2, true],
    ]);
  });

  it('counts in each counter of an attempt what it costs there', async () => {
    const named = attempt(
      meter('tokens', 100, 60, { cost: 40 }),
      meter('tokens', 1_000, 3600, { cost: 40 }),
      meter('places', 10, 3600, { cost: 1 }),
      meter('read', 0, 3600, { cost: 0 }),
      quota('tokens', 9),
    );
    const { verdicts } = await commit(named, named, named);
    expect(verdicts.map(({ admitted }) => admitted)).toEqual([true, true, false]);
    expect(verdicts[2]!.readings.map(({ used, retryAt }) => [used, retryAt === null])).toEqual([
      [80, false],
      [80, true],
      [2, true],
      [0, true],
      [2, true],
    ]);
    // Of the costs of one counter the largest counts, and it has to fit under the least of the limits.
    const twice = (limit: number) =>
      attempt(meter('costs', 9, 3600, { cost: 4 }), meter('costs', limit, 3600), meter('costs', 9, 3600, { cost: 0 }));
    const costs = await commit(twice(4), twice(7), twice(8), twice(3));
    expect(costs.verdicts.map(({ admitted, readings }) => [admitted, readings[0]!.used])).toEqual([
      [true, 4],
      [false, 4],
      [true, 8],
      [false, 8],
    ]);
    expect(costs.verdicts[3]!.readings[1]!.retryAt).toBe(Number.POSITIVE_INFINITY);
  });

  it('takes costs as large as numbers are exact, and says never where an attempt can never fit', async () => {
    const large = Number.MAX_SAFE_INTEGER;
    const { verdicts } = await commit(
      { meters: [meter('large', large, 3600), quota('large', large)], cost: large - 1 },
      { meters: [meter('large', large, 3600), quota('large', large)], cost: 1 },
      { meters: [meter('large', large, 3600), quota('large', large)], cost: 1 },
      { meters: [meter('small', 4, 3600)], cost: 5 },
    );
    expect(verdicts.map(({ admitted }) => admitted)).toEqual([true, true, false, false]);
    expect(verdicts[1]!.readings.map(({ used, remaining }) => [used, remaining])).toEqual([
      [large, 0],
      [large, 0],
    ]);
    expect(verdicts[3]!.readings[0]!.retryAt).toBe(Number.POSITIVE_INFINITY);
  });

  it('lets an attempt in at the moment at which it said that there would be room', async () => {
    const tight = attempt(meter('tight', 3, 1));
    const { verdicts } = await commit(tight, tight, tight, tight);
    const retryAt = verdicts[3]!.readings[0]!.retryAt!;
    const [state] = await store.read([meter('tight', 3, 1)]);
    expect(retryAt).toBe(state!.reset);
    await wait(Math.max(0, retryAt - state!.now) + 5);
    expect((await commit(tight)).verdicts[0]!.admitted).toBe(true);
  });

  it('refuses what cannot be judged, and counts nothing of its group', async () => {
    const good = attempt(meter('good', 5, 3600));
    await expect(store.commit(revision, [good, { ...good, cost: 0.5 }])).rejects.toThrow(RangeError);
    await expect(store.commit(revision, [good, { ...good, cost: -1 }])).rejects.toThrow(RangeError);
    for (const cost of [0.5, -1, Number.NaN, 2 ** 53])
      await expect(store.commit(revision, [good, attempt(meter('good', 5, 3600, { cost }))])).rejects.toThrow(
        RangeError,
      );
    const otherwise: Meter = { ...meter('good', 5, 3600), window: { kind: 'sliding', seconds: 60 } };
    await expect(store.commit(revision, [good, attempt(otherwise)])).rejects.toThrow(RangeError);
    expect((await store.read([meter('good', 5, 3600)]))[0]!.used).toBe(0);
  });

  it('names keys by prefix, in order and no more than asked for, whatever characters they have', async () => {
    const names = ['p[a]*', 'p[a]?', 'p[a]\\', 'p_a', 'p%a', 'p%'].map((name) => meter(name, 9, 3600));
    await commit(...names.map((named) => attempt(named)), attempt(quota('p', 5)));
    expect(await store.listKeys('ip|p[a]', 10)).toEqual([
      'ip|p[a]*|read|3600',
      'ip|p[a]?|read|3600',
      'ip|p[a]\\|read|3600',
    ]);
    expect(await store.listKeys('ip|p_', 10)).toEqual(['ip|p_a|read|3600']);
    expect(await store.listKeys('ip|p%', 10)).toEqual(['ip|p%a|read|3600', 'ip|p%|read|3600']);
    expect(await store.listKeys('ip|p', 2)).toHaveLength(2);
    expect(await store.listKeys('quota|p|', 10)).toEqual(['quota|p|month']);
    expect(await store.listKeys('ip|nobody', 10)).toEqual([]);
  });

  it('forgets the counters that a reset selects, and no others', async () => {
    const names = ['r1', 'r2', 'r[1]', 's'].map((name) => meter(name, 1, 3600));
    await commit(...names.map((named) => attempt(named)), attempt(quota('r1', 1)));
    await opened.apply(store.clear({ prefix: 'ip|r1|' }));
    await opened.apply(store.clear({ keys: ['ip|s|read|3600', 'quota|r1|month', 'ip|unknown|read|60'] }));
    await opened.apply(store.clear({ keys: [] }));
    const after = await commit(...names.map((named) => attempt(named)), attempt(quota('r1', 1)));
    expect(after.verdicts.map(({ admitted }) => admitted)).toEqual([true, false, false, true, true]);
    await opened.apply(store.clear({ prefix: 'ip|r' }));
    expect(await store.listKeys('ip|r', 10)).toEqual([]);
  });

  it.each([createMonths(1, 0), createMonths(31, 0), createMonths(15, 2)])(
    'resets the usage of a month and keeps counting (%j)',
    async (window) => {
      const name = `f${encodeWindow(window)}`;
      const meter = quota(name, 3, { window });
      const monthly = attempt(meter);
      await commit(monthly, monthly, monthly);
      await opened.apply(store.resetUsage({ key: meter.key, window }));
      await opened.apply(store.resetUsage({ key: quota('unknown', 3).key, window: { kind: 'month' } }));
      expect((await store.read([meter]))[0]).toMatchObject({ used: 0, slots: [] });
      const { verdicts, now } = await commit(monthly, { meters: [meter], cost: 3 });
      expect(verdicts.map(({ admitted, readings }) => [admitted, readings[0]!.used])).toEqual([
        [true, 1],
        [false, 1],
      ]);
      expect(verdicts[1]!.readings[0]!.retryAt).toBe(computeMonthEnd(now, window.anchor));
    },
  );

  it('touches nothing when the rules are older than its own, and keeps using the newer ones', async () => {
    if (opened.raise === null) return;
    const before = revision;
    await opened.raise(before + 3);
    const stale = await store.commit(before, [attempt(meter('stale', 9, 3600), quota('stale', 9))]);
    expect(stale).toEqual({ kind: 'stale', revision: before + 3 });
    revision = before + 3;
    expect((await store.read([meter('stale', 9, 3600), quota('stale', 9)])).map(({ used }) => used)).toEqual([0, 0]);
    expect((await commit(attempt(meter('stale', 9, 3600)))).verdicts[0]!.admitted).toBe(true);
  });

  it('decides a thousand different clients in one group', async () => {
    const attempts = Array.from({ length: 1_000 }, (_, i) =>
      attempt(meter(`w${i}`, 1, 60), meter(`wu${i % 10}`, 50, 3600), quota('w', 400)),
    );
    const { verdicts } = await commit(...attempts);
    expect(verdicts.filter(({ admitted }) => admitted)).toHaveLength(400);
  });

  it('answers a ping, and sweeps without an error', async () => {
    await store.ping();
    await store.ping();
    expect(await store.listKeys('', 1_000)).not.toContain('ping');
    expect(await store.sweep(500)).toBeGreaterThanOrEqual(0);
    expect((await commit()).verdicts).toEqual([]);
  });
});
