import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildCounterState } from '@/lib/counters/counter-state';
import { FORGET_AHEAD, SETTLE } from '@/lib/counters/remote/statements';
import { RemoteCounters } from '@/lib/counters/remote/store';
import { StoreUnavailable } from '@/lib/counters/store';
import type { Counter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Attempt, Window } from '@/lib/limiter/meter';
import { createSliding, listHits } from '@/lib/limiter/sliding-counter';
import { computeCalendarMonth, computeSlot, SLOTS, VISIBLE_SLOTS } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';
import { LibsqlEngine } from '../../../fixtures/libsql-engine';
import { histories } from '../../../fixtures/random-groups';
import { expectNoRoomBack } from '../../../fixtures/stepping-clock';
import { at } from '../open-counters';

/**
 * What every slot of every counter has. A table forgets nothing before it is swept; when the clock has gone back, the
 * counters of a group lose what lies in their future: up to a window ahead it moves into the present slot.
 */
class Ledger {
  readonly #slots = new Map<string, Map<number, number>>();

  counter(key: string, window: Window, now: Millis): Counter {
    const slots = this.#slots.get(key) ?? new Map<number, number>();
    if (window.kind === 'month') {
      const month = computeCalendarMonth(now, window.anchor);
      return { kind: 'month', month, hits: slots.get(month) ?? 0, floor: 0 };
    }
    const newest = computeSlot(now, window.seconds) + SLOTS;
    const hits = Array.from({ length: SLOTS + VISIBLE_SLOTS }, (_, age) => slots.get(newest - age) ?? 0);
    return createSliding(newest, hits);
  }

  forgetAhead(key: string, window: Window, now: Millis): void {
    if (window.kind === 'month') return;
    const slots = this.#slots.get(key);
    const furthest = computeSlot(now, window.seconds) + SLOTS;
    for (const slot of [...(slots?.keys() ?? [])]) if (slot > furthest) slots?.delete(slot);
  }

  keep(key: string, window: Window, counter: Counter, now: Millis): void {
    const slots = this.#slots.get(key) ?? new Map<number, number>();
    this.#slots.set(key, slots);
    const present =
      window.kind === 'month' ? computeCalendarMonth(now, window.anchor) : computeSlot(now, window.seconds);
    if (counter.kind === 'month') slots.set(present, counter.hits);
    else {
      for (const slot of [...slots.keys()]) if (slot > present) slots.delete(slot);
      for (const [age, hits] of listHits(counter).entries()) slots.set(counter.newest - age, hits);
    }
  }
}

function opened() {
  const engine = new LibsqlEngine();
  const clock = () => engine.now;
  const store = new RemoteCounters({ client: engine.client, clock, wait: async () => undefined, random: () => 0 });
  return { engine, store };
}

function ask(key: string, seconds: number, limit = 5): Attempt {
  return { meters: [{ subject: 'ip', key, limit, window: { kind: 'sliding', seconds } }], cost: 1 };
}

describe('the statements for a libSQL server', () => {
  it.each([
    { back: false, large: false },
    { back: true, large: false },
    { back: true, large: true },
  ])('decide and keep whatever the judge does (back: $back, large: $large)', async (options) => {
    await fc.assert(
      fc.asyncProperty(histories(options), async (steps) => {
        const { engine, store } = opened();
        const ledger = new Ledger();
        const windows = new Map<string, Window>();
        for (const { gap, attempts } of steps) {
          engine.now += gap;
          const held = new Map<string, Counter>();
          for (const { key, window } of attempts.flatMap(({ meters }) => meters)) {
            windows.set(key, window);
            ledger.forgetAhead(key, window, engine.now);
            held.set(key, ledger.counter(key, window, engine.now));
          }
          const expected = evaluateGroup(attempts, engine.now, held);
          expect(await store.commit(0, attempts)).toEqual({
            kind: 'decided',
            now: engine.now,
            verdicts: expected.verdicts,
            settled: [],
          });
          for (const { key, counter, window } of expected.changed) ledger.keep(key, window, counter, engine.now);
        }
        const asked = [...windows].map(([key, window]) => ({ key, window }));
        expect(await store.read(asked)).toEqual(
          asked.map(({ key, window }) =>
            buildCounterState(key, ledger.counter(key, window, engine.now), window, engine.now),
          ),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('open no room when the clock steps back', async () => {
    const { engine, store } = opened();
    await expectNoRoomBack(at(engine, store), engine.now);
  });

  it('settle nothing when the rules are out of date', async () => {
    const { engine, store } = opened();
    await store.commit(0, [ask('ip|a|read|60', 60)]);
    engine.now -= 1_100;
    await store.commit(0, [ask('ip|b|read|60', 60)]);
    const rows = () => engine.database.prepare('select key, slot, hits from counter_slots').raw().all();
    const before = rows();
    expect(await store.commit(1, [ask('ip|a|read|60', 60)])).toEqual({ kind: 'stale', revision: 0 });
    expect(rows()).toEqual(before);
  });

  it('count for nothing when the rules are out of date', async () => {
    const { engine, store } = opened();
    await store.commit(0, [ask('ip|a|read|60', 60)]);
    engine.database.exec(
      `insert into audit (seq, at, actor, actor_name, action, target_type, target, previous_hash, hash) values (7, 0, '', '', '', '', '', '', '')`,
    );
    expect(await store.commit(0, [ask('ip|a|read|60', 60)])).toEqual({ kind: 'stale', revision: 7 });
    expect(engine.database.prepare('select sum(hits) from counter_slots').raw().get()).toEqual([1]);
  });

  it('tell by a ping whether counters can be written, and count nothing', async () => {
    const { engine, store } = opened();
    await store.ping();
    await store.ping();
    expect(engine.database.prepare('select id from counter_clock').raw().all()).toEqual([[3]]);
    engine.database.exec('pragma query_only = on');
    await expect(store.ping()).rejects.toThrow(StoreUnavailable);
    engine.database.exec('pragma query_only = off');
    await store.ping();
    // It is in the way of no moment of a group.
    await store.commit(0, [ask('ip|a|read|60', 60)]);
    expect((await store.commit(0, [ask('ip|a|read|60', 60)])).kind).toBe('decided');
    expect(engine.database.prepare('select id from counter_clock order by id').raw().all()).toEqual([[1], [3]]);
  });

  it('find counters by the primary key', () => {
    const { engine } = opened();
    const plan = (sql: string) =>
      engine.database
        .prepare(`explain query plan ${sql}`)
        .all()
        .map((row) => String((row as { detail: string }).detail));
    const details = [
      ...plan("select sum(hits) from counter_slots as c where c.key = 'a' and c.slot between 1 and 61"),
      ...plan("delete from counter_slots where (key, slot) > ('a', 1) and (key, slot) <= ('b', 1) and expires <= 1"),
      ...plan("delete from counter_slots where key >= 'a' and key < 'b'"),
      ...[SETTLE, FORGET_AHEAD].flatMap((sql) => plan(sql).filter((step) => / (c|counter_slots) /.test(step))),
    ];
    expect(details.every((detail) => detail.includes('USING PRIMARY KEY'))).toBe(true);
  });

  it('sweep what no window sees any more, a step at a time, and rest after a pass', async () => {
    const { engine, store } = opened();
    const rows = () =>
      Number((engine.database.prepare('select count(*) from counter_slots').raw().get() as unknown[])[0]);
    await store.commit(
      0,
      Array.from({ length: 90 }, (_, i) => ask(`ip|${i}|read|60`, 60)),
    );
    await store.commit(
      0,
      Array.from({ length: 10 }, (_, i) => ask(`ip|${i}|write|3600`, 3600)),
    );
    expect(await store.sweep(1_000)).toBe(0);
    engine.now += 62_000;
    expect(await store.sweep(1_000)).toBe(0); // The end of the first pass.
    engine.now += 60_000;
    expect(await store.sweep(30)).toBeGreaterThan(0);
    for (let i = 0; i < 5; i += 1) await store.sweep(30);
    expect(rows()).toBe(10);
    expect(await store.sweep(1_000)).toBe(0);
  });
});
