import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CounterStore } from '@/lib/counters/store';
import type { Charge } from '@/lib/limiter/corrections';
import type { Attempt, Meter } from '@/lib/limiter/meter';
import { createMonths, encodeWindow } from '@/lib/limiter/month-anchor';
import { settle } from '../../fixtures/settle';
import { type OpenedStore, STORES } from './opened-stores';

/** Longer than a test takes. */
const KEPT = 600_000;
const DAYS_90 = 7_776_000;

function meter(name: string, limit: number, seconds: number, over: Partial<Meter> = {}): Meter {
  return { subject: 'ip', key: `ip|${name}|read|${seconds}`, limit, window: { kind: 'sliding', seconds }, ...over };
}

/** Windows that do not end while the test runs, of every kind. */
function metersOf(name: string, limit: number): Meter[] {
  const months = [createMonths(1, 0), createMonths(31, 0), createMonths(15, -1)].map((window): Meter => {
    return { subject: 'quota', key: `quota|${name}.${encodeWindow(window)}|month`, limit, window };
  });
  return [...[3600, 86_400, DAYS_90].map((seconds) => meter(name, limit, seconds)), ...months];
}

describe.each(STORES.filter(({ missing }) => !missing))('settlements of the $name store', ({ open }) => {
  let opened: OpenedStore;
  let store: CounterStore;
  beforeAll(async () => {
    opened = await open();
    store = opened.store;
  });
  afterAll(() => opened?.close());

  let ids = 0;
  const newId = () => {
    ids += 1;
    return `settlement-${ids}`;
  };
  const commit = async (...attempts: Attempt[]) => {
    const answer = await store.commit(0, attempts);
    if (answer.kind !== 'decided') throw new Error('It was not decided.');
    return answer;
  };
  /** Counts an attempt. @returns its charges */
  const charge = async (attempt: Attempt): Promise<Charge[]> => {
    const { now, verdicts } = await commit(attempt);
    expect(verdicts[0]?.admitted).toBe(true);
    return attempt.meters.map(({ key, window, cost = attempt.cost }) => ({ key, window, cost, at: now }));
  };
  const used = async (meters: readonly Meter[]) => (await store.read(meters)).map((state) => state.used);

  it.each([0, 1, 5, 9, 14])('replace 5 by %i, in every kind of window', async (really) => {
    const meters = metersOf(`really${really}`, 12);
    await charge({ meters, cost: 3 });
    const charges = await charge({ meters, cost: 5 });
    expect(
      await settle(
        store,
        newId(),
        charges.map((one) => ({ ...one, used: really })),
        KEPT,
      ),
    ).toBe(true);
    expect(await used(meters)).toEqual(meters.map(() => 3 + really));
    // What exceeds the limit is counted, and the next request is refused.
    const { verdicts } = await commit({ meters, cost: 1 });
    expect(verdicts[0]?.admitted).toBe(3 + really < 12);
  });

  it('replace each cost of an attempt by its own', async () => {
    const costs = [40, 1, 0, 7, 7, 7];
    const really = [100, 0, 3, 7, 6, 8];
    const meters = metersOf('own', 500).map((one, i) => ({ ...one, cost: costs[i]! }));
    const charges = await charge({ meters, cost: 1 });
    expect(
      await settle(
        store,
        newId(),
        charges.map((one, i) => ({ ...one, used: really[i]! })),
        KEPT,
      ),
    ).toBe(true);
    expect(await used(meters)).toEqual(really);
  });

  it('stop at 2^53 - 1', async () => {
    const meters = metersOf('large', Number.MAX_SAFE_INTEGER);
    const charges = await charge({ meters, cost: Number.MAX_SAFE_INTEGER - 1 });
    const more = charges.map((one) => ({ ...one, cost: 1, used: Number.MAX_SAFE_INTEGER }));
    expect(await settle(store, newId(), more, KEPT)).toBe(true);
    expect(await used(meters)).toEqual(meters.map(() => Number.MAX_SAFE_INTEGER));
  });

  it('happen once, also when many ask at the same time, and a refund afterwards changes nothing', async () => {
    const meters = metersOf('once', 100);
    await charge({ meters, cost: 10 });
    const charges = await charge({ meters, cost: 10 });
    const settled = (really: number) => charges.map((one) => ({ ...one, used: really }));
    const results = await Promise.all(Array.from({ length: 8 }, () => settle(store, 'once', settled(4), KEPT)));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await settle(store, 'once', charges, KEPT)).toBe(false);
    expect(await settle(store, 'once', settled(90), KEPT)).toBe(false);
    expect(await used(meters)).toEqual(meters.map(() => 14));
  });

  it('are remembered for as long as asked', async () => {
    expect(await settle(store, 'long', [], KEPT)).toBe(true);
    expect(await settle(store, 'short', [], 1_500)).toBe(true);
    const start = performance.now();
    expect(await settle(store, 'short', [], 1_500)).toBe(false);
    await expect.poll(() => settle(store, 'short', [], 1), { interval: 10 }).toBe(true);
    expect(performance.now() - start).toBeGreaterThan(1_300);
    expect(await settle(store, 'long', [], KEPT)).toBe(false);
  });

  it('take nothing back from a counter that was cleared, and count what was used beyond the cost', async () => {
    const meters = metersOf('cleared', 100);
    const [less, more] = [await charge({ meters, cost: 3 }), await charge({ meters, cost: 3 })];
    await opened.apply(store.clear({ keys: meters.map(({ key }) => key) }));
    expect(
      await settle(
        store,
        newId(),
        less.map((one) => ({ ...one, used: 1 })),
        KEPT,
      ),
    ).toBe(true);
    expect(await used(meters)).toEqual(meters.map(() => 0));
    expect(
      await settle(
        store,
        newId(),
        more.map((one) => ({ ...one, used: 9 })),
        KEPT,
      ),
    ).toBe(true);
    expect(await used(meters)).toEqual(meters.map(() => 6));
    await charge({ meters, cost: 1 });
    expect(await used(meters)).toEqual(meters.map(() => 7));
  });

  it('give back places: never more than the limit are held at once, and all come back', async () => {
    const limit = 4;
    const meters = [meter('places', limit, 3600), meter('places', 10_000, 60, { cost: 25 })];
    let held = 0;
    let most = 0;
    let admissions = 0;
    let release = () => {};
    const allHeld = new Promise<void>((resolve) => {
      release = resolve;
    });
    const work = async (worker: number) => {
      for (let turn = 0; turn < 12; turn += 1) {
        const { now, verdicts } = await commit({ meters, cost: 1 });
        if (!verdicts[0]!.admitted) {
          await wait(worker % 3);
          continue;
        }
        held += 1;
        admissions += 1;
        most = Math.max(most, held);
        if (most === limit) release();
        // The first places are held until all are held at once.
        await allHeld;
        await wait((worker + turn) % 4);
        held -= 1;
        const charges = meters.map(({ key, window, cost = 1 }, i) => ({ key, window, cost, used: i * 25, at: now }));
        expect(await settle(store, newId(), charges, KEPT)).toBe(true);
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, worker) => work(worker)));
    expect(most).toBe(limit);
    expect(await used([meters[0]!])).toEqual([0]);
    expect(admissions).toBeGreaterThan(limit);
    const all = Array.from({ length: limit + 1 }, (): Attempt => ({ meters: [meters[0]!], cost: 1 }));
    expect((await commit(...all)).verdicts.map(({ admitted }) => admitted)).toEqual([true, true, true, true, false]);
  });

  it('give back nothing after the lease, when time has given the place back', async () => {
    const place = meter('lease', 2, 1);
    const charges = await charge({ meters: [place], cost: 1 });
    const { verdicts } = await commit({ meters: [place], cost: 2 });
    await wait(verdicts[0]!.readings[0]!.reset - charges[0]!.at + 5);
    await charge({ meters: [place], cost: 2 });
    expect(await settle(store, newId(), charges, KEPT)).toBe(true);
    expect((await commit({ meters: [place], cost: 1 })).verdicts[0]!.admitted).toBe(false);
  });
});
