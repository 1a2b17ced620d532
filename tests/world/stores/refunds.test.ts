import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CounterStore } from '@/lib/counters/store';
import type { Charge } from '@/lib/limiter/corrections';
import type { Attempt, Meter } from '@/lib/limiter/meter';
import { settle } from '../../fixtures/settle';
import { type OpenedStore, STORES } from './opened-stores';

/** Longer than a test takes. */
const KEPT = 600_000;

/** Never refuses, so that what it has counted is what was sent. */
const MOST = { limit: 0, unlimited: true } as const;

function metersOf(name: string): Meter[] {
  const windows = [1, 2, 3600].map((seconds): Meter => {
    return { subject: 'ip', key: `ip|${name}|read|${seconds}`, window: { kind: 'sliding', seconds }, ...MOST };
  });
  return [...windows, { subject: 'quota', key: `quota|${name}|month`, window: { kind: 'month' }, ...MOST }];
}

describe.each(STORES.filter(({ missing }) => !missing))('refunds of the $name store', ({ open }) => {
  let opened: OpenedStore;
  let store: CounterStore;
  beforeAll(async () => {
    opened = await open();
    store = opened.store;
  });
  afterAll(() => opened.close());

  let ids = 0;
  const newId = () => {
    ids += 1;
    return `refund-${ids}`;
  };
  /** Counts the attempts. @returns the charge of the costs, for a refund */
  const send = async (meters: readonly Meter[], costs: readonly number[]) => {
    const attempts = costs.map((cost): Attempt => ({ meters, cost }));
    const commit = await store.commit(0, attempts);
    if (commit.kind !== 'decided') throw new Error('It was not decided.');
    return costs.map((cost) => meters.map((meter): Charge => ({ ...meter, at: commit.now, cost })));
  };
  const shown = async (name: string) => {
    const states = await store.read(metersOf(name));
    return states.map(({ used, slots, reset }) => ({ used, slots, reset }));
  };

  it('leave every slot as if the request had never come', async () => {
    let scope = 0;
    const costs = fc.array(fc.constantFrom(1, 2, 7), { maxLength: 3 });
    const round = fc.record({ kept: costs, refunded: costs, pause: fc.constantFrom(0, 20, 120), late: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 4 }), async (rounds) => {
        scope += 1;
        const [name, twin] = [`${scope}.one`, `${scope}.twin`];
        const late: Charge[][] = [];
        for (const { kept, refunded, pause, late: waits } of rounds) {
          await send([...metersOf(name), ...metersOf(twin)], kept);
          const charges = await send(metersOf(name), refunded);
          await wait(pause);
          if (waits) late.push(...charges);
          else for (const charge of charges) expect(await settle(store, newId(), charge, KEPT)).toBe(true);
        }
        for (const charge of late) expect(await settle(store, newId(), charge, KEPT)).toBe(true);
        await agree(name, twin);
      }),
      { numRuns: 15 },
    );
  });

  /** Read one after the other, so what expires between them is read again. */
  async function agree(name: string, twin: string): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      const [one, other, again] = [await shown(name), await shown(twin), await shown(name)];
      const isSteady = JSON.stringify(one) === JSON.stringify(again);
      if (!isSteady && tries < 100) continue;
      const comparable = (states: typeof one) =>
        states.map(({ used, slots, reset }) => (used === 0 ? { used, slots } : { used, slots, reset }));
      return expect(comparable(one)).toEqual(comparable(other));
    }
  }

  it('happen once, also when many ask at the same time', async () => {
    const meters = metersOf('once');
    const [charge = []] = await send(meters, [5, 5]);
    const results = await Promise.all(Array.from({ length: 8 }, () => settle(store, 'once', charge, KEPT)));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect((await store.read(meters.slice(2))).map(({ used }) => used)).toEqual([5, 5]);
  });

  it('never take more than there is', async () => {
    const meters = metersOf('bounded');
    const [charge = []] = await send(meters, [3]);
    await opened.apply(store.clear({ prefix: 'ip|bounded|' }));
    await opened.apply(store.resetUsage({ key: 'quota|bounded|month', window: { kind: 'month' } }));
    expect(await settle(store, 'bounded', charge, KEPT)).toBe(true);
    expect((await shown('bounded')).map(({ used }) => used)).toEqual([0, 0, 0, 0]);
    await send(meters, [1]);
    expect((await shown('bounded')).slice(2).map(({ used }) => used)).toEqual([1, 1]);
  });

  it('of nothing are remembered as well', async () => {
    expect(await settle(store, 'nothing', [], KEPT)).toBe(true);
    expect(await settle(store, 'nothing', [], KEPT)).toBe(false);
  });
});
