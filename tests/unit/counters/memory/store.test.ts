import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { embeddedCounters } from '@/bench/tables';
import { MemoryCounters } from '@/lib/counters/memory/store';
import type { CounterChange } from '@/lib/counters/store';
import type { Attempt, Meter, Window } from '@/lib/limiter/meter';
import { expectNoRoomBack } from '../../../fixtures/stepping-clock';
import { at, change, openStore, settleInto } from '../open-counters';

const MINUTE: Window = { kind: 'sliding', seconds: 60 };
const MONTH: Window = { kind: 'month' };
const KEYS = [
  { key: 'ip|a|read|60', window: MINUTE },
  { key: 'ip|a|write|60', window: MINUTE },
  { key: 'quota|a|month', window: MONTH },
];

const attempt = (key: string, window: Window = MINUTE, limit = 5): Attempt => ({
  meters: [{ subject: 'ip', key, limit, window }],
  cost: 1,
});

async function run(made: CounterChange) {
  if (made.kind !== 'action') throw new Error('The local store acts.');
  await made.run();
}

describe('the local store', () => {
  it('decides as the embedded store does', async () => {
    const embedded = openStore(undefined, { wait: async () => undefined });
    const start = embedded.clock.now;
    const meters = fc.uniqueArray(
      fc
        .record({ own: fc.constantFrom(...KEYS), limit: fc.integer({ min: 0, max: 6 }) })
        .map(({ own, limit }): Meter => {
          return { subject: 'ip', limit, ...own };
        }),
      { selector: ({ key }) => key, maxLength: 3 },
    );
    const step = fc.record({
      gap: fc.oneof(fc.integer({ min: 0, max: 40_000 }), fc.constantFrom(-1_100, -30_000, -60_000, -90_000)),
      group: fc.array(fc.record({ meters, cost: fc.integer({ min: 0, max: 2 }) }), { maxLength: 5 }),
      after: fc.constantFrom('nothing', 'nothing', 'nothing', 'clear', 'forgive', 'sweep'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { database, clock } = embedded;
        const tables = ['counter_windows', 'counter_months', 'counter_journal', 'audit'];
        database.exec(tables.map((table) => `delete from ${table}`).join(';'));
        clock.now = start;
        const store = embeddedCounters(database, { clock: () => clock.now, wait: async () => undefined });
        const local = new MemoryCounters({ clock: () => clock.now });
        let revision = 0;
        for (const { gap, group, after } of steps) {
          clock.now += gap;
          expect(await local.commit(revision, group)).toEqual(await store.commit(revision, group));
          if (after === 'clear') {
            revision = change(database, [store.clear({ prefix: 'ip|a|read|' })]);
            await run(local.clear({ prefix: 'ip|a|read|' }));
          } else if (after === 'forgive') {
            revision = change(database, [store.resetUsage({ key: 'quota|a|month', window: { kind: 'month' } })]);
            await run(local.resetUsage({ key: 'quota|a|month', window: { kind: 'month' } }));
          } else if (after === 'sweep') {
            await local.sweep(10);
            // What is only journaled is not swept, and would be seen again when the clock steps back.
            settleInto(database);
            // A pass takes four steps: the rows of two tables, and the end of each. It begins wherever the last one ended.
            for (let step = 0; step < 8; step += 1) await store.sweep(10);
          }
          expect(await local.read(KEYS)).toEqual(await store.read(KEYS));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('opens no room when the clock steps back', async () => {
    const clock = { now: 0 };
    const store = new MemoryCounters({ clock: () => clock.now });
    await expectNoRoomBack(at(clock, store), Date.UTC(2026, 10, 20));
  });

  it('keeps what lies ahead of the clock until its time is over', async () => {
    const clock = { now: 120_000 };
    const store = new MemoryCounters({ clock: () => clock.now });
    await store.commit(0, [attempt('ip|a|read|60')]);
    clock.now = 0;
    expect(await store.sweep(10)).toBe(0);
    clock.now = 120_000;
    expect((await store.read([{ key: 'ip|a|read|60', window: MINUTE }]))[0]?.used).toBe(1);
    clock.now = 181_000;
    expect(await store.sweep(10)).toBe(1);
  });

  it('keeps no more counters than it may, and forgets the least recently used first', async () => {
    const store = new MemoryCounters({ clock: () => 0, maximumKeys: 100 });
    for (let i = 0; i < 1000; i++)
      await store.commit(0, [attempt(`ip|${i}|read|60`), attempt('ip|kept|read|60', MINUTE, 2000)]);
    expect(await store.listKeys('', 1000)).toHaveLength(100);
    expect((await store.read([{ key: 'ip|kept|read|60', window: MINUTE }]))[0]?.used).toBe(1000);
    expect(await store.listKeys('', 3)).toHaveLength(3);
  });

  it('sweeps out what no window sees', async () => {
    const clock = { now: 0 };
    const store = new MemoryCounters({ clock: () => clock.now });
    await store.commit(0, [attempt('ip|a|read|60'), attempt('ip|b|read|60'), attempt('quota|a|month', MONTH)]);
    expect(await store.sweep(10)).toBe(0);
    clock.now = 61_000;
    await store.commit(0, [attempt('ip|b|read|60')]);
    expect(await store.listKeys('', 10)).toEqual(['ip|b|read|60', 'quota|a|month']);
    expect(await store.sweep(10)).toBe(1);
    clock.now += 40 * 86_400_000;
    expect(await store.sweep(1)).toBe(1);
    expect(await store.sweep(10)).toBe(1);
  });

  it('clears by keys', async () => {
    const store = new MemoryCounters({ clock: () => 0 });
    await store.commit(0, [attempt('ip|a|read|60'), attempt('ip|b|read|60')]);
    await run(store.clear({ keys: ['ip|a|read|60', 'ip|c|read|60'] }));
    expect(await store.listKeys('', 10)).toEqual(['ip|b|read|60']);
  });

  it('has no revision: whatever the rules are, it decides, and sweeps no more than it is told', async () => {
    const clock = { now: Date.UTC(2026, 10, 21) };
    const store = new MemoryCounters({ clock: () => clock.now });
    expect(store.kind).toBe('local');
    expect(await store.commit(7, [attempt('ip|a|read|60')])).toMatchObject({ kind: 'decided', now: clock.now });
    await store.publish(9);
    await store.ping();
    await store.commit(3, [attempt('ip|b|read|60'), attempt('ip|c|read|60')]);
    expect((await store.read(KEYS.slice(0, 2))).map(({ used }) => used)).toEqual([1, 0]);
    clock.now += 61_000;
    expect([await store.sweep(2), await store.sweep(2), await store.sweep(2)]).toEqual([2, 1, 0]);
    await store.commit(0, [attempt('ip|a|read|60')]);
    await store.close();
    expect(await store.listKeys('', 9)).toEqual([]);
  });

  it('forgives a month and leaves a window alone, and clears by the beginning of a name', async () => {
    const store = new MemoryCounters({ clock: () => Date.UTC(2026, 10, 21) });
    await store.commit(0, [attempt('ip|a|read|60'), attempt('ip|ab|read|60'), attempt('quota|a|month', MONTH, 1)]);
    await run(store.resetUsage({ key: 'ip|a|read|60', window: { kind: 'month' } }));
    await run(store.resetUsage({ key: 'quota|a|month', window: { kind: 'month' } }));
    await run(store.resetUsage({ key: 'quota|unknown|month', window: { kind: 'month' } }));
    expect((await store.read([KEYS[0]!, KEYS[2]!])).map(({ used }) => used)).toEqual([1, 0]);
    expect(await store.commit(0, [attempt('quota|a|month', MONTH, 1)])).toMatchObject({
      verdicts: [{ admitted: true }],
    });
    await run(store.clear({ prefix: 'ip|a|' }));
    expect(await store.listKeys('ip|', 9)).toEqual(['ip|ab|read|60']);
  });

  it('keeps the counters that were used last when it may keep no more', async () => {
    const store = new MemoryCounters({ clock: () => 0, maximumKeys: 2 });
    await store.commit(0, [attempt('a'), attempt('b')]);
    await store.commit(0, [attempt('a')]);
    // Looking is not using.
    await store.read([{ key: 'b', window: MINUTE }]);
    await store.commit(0, [attempt('c')]);
    expect(await store.listKeys('', 9)).toEqual(['a', 'c']);
  });
});
