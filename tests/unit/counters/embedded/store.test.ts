import fc from 'fast-check';
import Libsql from 'libsql';
import { describe, expect, it, vi } from 'vitest';
import { embeddedCounters } from '@/bench/tables';
import { buildCounterState } from '@/lib/counters/counter-state';
import type { EmbeddedCounters } from '@/lib/counters/embedded/store';
import { StoreUnavailable } from '@/lib/counters/store';
import { type Counter, createEmptyCounter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Attempt, Meter, Window } from '@/lib/limiter/meter';
import { computeCalendarMonth, computeSlot } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';
import { expectNoRoomBack } from '../../../fixtures/stepping-clock';
import { at, change, databasePath, openStore, settleInto } from '../open-counters';

const SLIDING: Window = { kind: 'sliding', seconds: 60 };
const MONTH: Window = { kind: 'month' };
const KEYS: readonly { key: string; window: Window }[] = [
  { key: 'ip|10.0.0.1|read|60', window: SLIDING },
  { key: 'ip|10.0.0.1|auth|60', window: SLIDING },
  { key: 'ip|10.0.0.10|read|60', window: SLIDING },
  { key: 'user|a%25|write|3600', window: { kind: 'sliding', seconds: 3600 } },
  { key: 'quota|a|month', window: MONTH },
  { key: 'quota|b|month', window: MONTH },
];

const read = (limit: number, over: Partial<Meter> = {}): Meter => ({
  subject: 'ip',
  key: 'ip|10.0.0.1|read|60',
  limit,
  window: SLIDING,
  ...over,
});

/** What the store has to be like: the judge over counters in memory, and an revision. */
class Model {
  readonly counters = new Map<string, Counter>();
  revision = 0;
}

interface Real {
  clock: { now: Millis };
  store: EmbeddedCounters;
  change: (...changes: Parameters<typeof change>[1] & unknown[]) => number;
}

type Step = fc.AsyncCommand<Model, Real>;

const counter = fc.constantFrom(...KEYS);
const attempt = fc.record({
  meters: fc.uniqueArray(counter, { selector: ({ key }) => key, maxLength: 4 }).chain((chosen) =>
    fc.tuple(
      ...chosen.map(({ key, window }) =>
        fc.record({ limit: fc.integer({ min: 0, max: 9 }), unlimited: fc.boolean() }).map((own): Meter => {
          return { subject: 'ip', key, window, ...own };
        }),
      ),
    ),
  ),
  cost: fc.integer({ min: 0, max: 3 }),
});

const commit = fc.record({ group: fc.array(attempt, { maxLength: 8 }), stale: fc.constantFrom(0, 0, 0, 1, -1) }).map(
  ({ group, stale }): Step => ({
    check: () => true,
    async run(model, real) {
      const answer = await real.store.commit(model.revision + stale, group);
      if (stale !== 0) {
        expect(answer).toEqual({ kind: 'stale', revision: model.revision });
        return;
      }
      const { verdicts, changed } = evaluateGroup(group, real.clock.now, model.counters);
      for (const { key, counter } of changed) model.counters.set(key, counter);
      expect(answer).toEqual({ kind: 'decided', now: real.clock.now, verdicts, settled: [] });
    },
    toString: () => `commit ${JSON.stringify(group)}${stale ? ' stale' : ''}`,
  }),
);

const HOUR = 3_600_000;
const advance = fc
  .oneof(fc.integer({ min: 0, max: 70_000 }), fc.constantFrom(HOUR, -1_100, -30_000, -60_000, -HOUR, 20 * 24 * HOUR))
  .map(
    (by): Step => ({
      check: () => true,
      async run(_model, real) {
        real.clock.now += by;
      },
      toString: () => `advance ${by} ms`,
    }),
  );

const clear = fc.constantFrom('ip|10.0.0.1|', 'ip|10.0.0.1|read|', 'ip|10.0.0.', 'user|a%25|', 'quota|a|', '').map(
  (prefix): Step => ({
    check: () => true,
    async run(model, real) {
      model.revision = real.change(real.store.clear({ prefix }));
      for (const key of [...model.counters.keys()]) if (key.startsWith(prefix)) model.counters.delete(key);
    },
    toString: () => `clear ${prefix}`,
  }),
);

const clearKeys = fc.uniqueArray(counter, { selector: ({ key }) => key }).map(
  (chosen): Step => ({
    check: () => true,
    async run(model, real) {
      model.revision = real.change(real.store.clear({ keys: chosen.map(({ key }) => key) }));
      for (const { key } of chosen) model.counters.delete(key);
    },
    toString: () => `clear keys ${chosen.map(({ key }) => key)}`,
  }),
);

const forgive = fc.constantFrom('quota|a|month', 'quota|b|month').map(
  (key): Step => ({
    check: () => true,
    async run(model, real) {
      model.revision = real.change(real.store.resetUsage({ key, window: { kind: 'month' } }));
      const present = model.counters.get(key);
      if (present?.kind === 'month' && present.month >= computeCalendarMonth(real.clock.now)) {
        model.counters.set(key, { ...present, floor: present.hits });
      }
    },
    toString: () => `forgive ${key}`,
  }),
);

const sweep: fc.Arbitrary<Step> = fc.constant({
  check: () => true,
  async run(_model: Model, real: Real) {
    await real.store.sweep(1000);
  },
  toString: () => 'sweep',
});

const inspect: fc.Arbitrary<Step> = fc.constant({
  check: () => true,
  async run(model: Model, real: Real) {
    const now = real.clock.now;
    expect(await real.store.read(KEYS)).toEqual(
      KEYS.map(({ key, window }) =>
        buildCounterState(key, model.counters.get(key) ?? createEmptyCounter(window, now), window, now),
      ),
    );
  },
  toString: () => 'inspect',
});

describe('the embedded store', () => {
  /** Runs commands on an empty store and on the model, which say different things where the store is wrong. */
  async function expectAsModel(commands: fc.Arbitrary<Iterable<Step>>, numRuns: number): Promise<void> {
    const { database, clock } = openStore();
    const start = clock.now;
    await fc.assert(
      fc.asyncProperty(commands, async (steps) => {
        const store = embeddedCounters(database, { clock: () => clock.now });
        const real: Real = { clock, store, change: (...changes) => change(database, changes) };
        database.exec(
          'delete from counter_windows; delete from counter_months; delete from counter_journal; delete from audit',
        );
        clock.now = start;
        await fc.asyncModelRun(() => ({ model: new Model(), real }), steps);
      }),
      { numRuns },
    );
  }

  it('behaves like the judge over counters in memory', async () => {
    const steps = [commit, commit, commit, advance, clear, clearKeys, forgive, inspect];
    await expectAsModel(fc.commands(steps, { maxCommands: 30 }), 400);
  });

  it('is not changed by sweeping, while the clock goes forward', async () => {
    const forward = fc.integer({ min: 0, max: 90_000 }).map(
      (by): Step => ({
        check: () => true,
        async run(_model, real) {
          real.clock.now += by;
        },
      }),
    );
    await expectAsModel(fc.commands([commit, forward, sweep, inspect], { maxCommands: 30 }), 200);
  });

  it('opens no room when the clock steps back', async () => {
    const { store, clock } = openStore();
    await expectNoRoomBack(at(clock, store), clock.now);
  });

  it('sweeps what lies ahead of the clock when its time is over, and not before', async () => {
    const { database, store, clock } = openStore();
    const start = clock.now;
    await store.commit(0, [{ meters: [read(5)], cost: 5 }]);
    settleInto(database);
    const pass = async () => (await store.sweep(10)) + (await store.sweep(10)) + (await store.sweep(10));
    clock.now = start - 30_000;
    expect(await pass()).toBe(0);
    expect((await store.read([read(5)]))[0]).toMatchObject({ used: 5, slots: [{ hits: 5 }], reset: start + 31_000 });
    clock.now = start + 60_999;
    expect(await pass()).toBe(0);
    clock.now = start + 61_000;
    expect(await pass()).toBe(1);
  });

  it('touches nothing when the rules are newer or older than the caller’s', async () => {
    const { database, store } = openStore();
    const revision = change(database);
    const group: Attempt[] = [{ meters: [read(5)], cost: 1 }];
    expect(await store.commit(revision - 1, group)).toEqual({ kind: 'stale', revision });
    expect(await store.commit(revision + 1, group)).toEqual({ kind: 'stale', revision });
    expect((await store.read([read(5)]))[0]?.used).toBe(0);
    expect(await store.commit(revision, group)).toMatchObject({ kind: 'decided', verdicts: [{ admitted: true }] });
    expect(database.inTransaction).toBe(false);
  });

  it('keeps the months before, and starts the new one at nothing', async () => {
    const { database, store, clock } = openStore();
    const quota: Attempt = { meters: [{ subject: 'quota', key: 'quota|a|month', limit: 5, window: MONTH }], cost: 5 };
    clock.now = Date.UTC(2028, 2, 1) - 1;
    await store.commit(0, [quota]);
    clock.now += 1;
    await store.commit(0, [quota]);
    change(database, [store.resetUsage({ key: 'quota|a|month', window: { kind: 'month' } })]);
    settleInto(database);
    const rows = database.prepare('select month, hits, floor from counter_months order by month').raw().all();
    expect(rows).toEqual([
      [2028 * 12 + 1, 5, 0],
      [2028 * 12 + 2, 5, 5],
    ]);
    expect(await store.commit(1, [quota])).toMatchObject({ verdicts: [{ admitted: true, readings: [{ used: 5 }] }] });
  });

  it('lists keys that start so and still count, in order', async () => {
    const { store, clock } = openStore();
    const group = KEYS.map(({ key, window }): Attempt => ({ meters: [read(5, { key, window })], cost: 1 }));
    await store.commit(0, group);
    expect(await store.listKeys('ip|10.0.0.1|', 10)).toEqual(['ip|10.0.0.1|auth|60', 'ip|10.0.0.1|read|60']);
    expect(await store.listKeys('', 10)).toEqual(KEYS.map(({ key }) => key).sort());
    expect(await store.listKeys('ip|', 2)).toEqual(['ip|10.0.0.10|read|60', 'ip|10.0.0.1|auth|60']);
    expect(await store.listKeys('ip|%', 2)).toEqual([]);
    clock.now += 61_000;
    expect(await store.listKeys('ip|', 10)).toEqual([]);
    expect(await store.listKeys('', 10)).toEqual(['quota|a|month', 'quota|b|month', 'user|a%25|write|3600']);
  });

  it('clears what is meant literally, wildcards and quotes included', async () => {
    const { database, store } = openStore();
    const keys = ['user|%25|read|60', 'user|*|read|60', "user|it's|read|60", 'user|x|read|60'];
    await store.commit(
      0,
      keys.map((key): Attempt => ({ meters: [read(5, { key })], cost: 1 })),
    );
    change(database, [
      store.clear({ prefix: 'user|*|' }),
      store.clear({ prefix: "user|it's|" }),
      store.clear({ prefix: 'user|%|' }),
    ]);
    expect(await store.listKeys('user|', 10)).toEqual(['user|%25|read|60', 'user|x|read|60']);
  });

  it('reads a damaged row as nothing counted', async () => {
    const { database, store, clock } = openStore();
    const slot = computeSlot(clock.now, 60);
    const damaged = [
      '',
      '[]',
      '[N]',
      '[N,"x"]',
      '[N,-5]',
      '[N,1,2.5]',
      '[N,1e400]',
      '[N.5,1]',
      '["x",1]',
      '{}',
      'null',
    ];
    for (const slots of damaged.map((text) => text.replace('N', String(slot)))) {
      await store.commit(0, [{ meters: [read(5)], cost: 1 }]);
      settleInto(database);
      database.prepare('update counter_windows set slots = ?').run(slots);
      expect((await store.read([read(5)]))[0]?.used, slots).toBe(0);
      expect(await store.commit(0, [{ meters: [read(5)], cost: 1 }])).toMatchObject({ kind: 'decided' });
    }
  });

  it('adds back what a reset has kept of a window, however many hits a slot has', async () => {
    const counts = [0, 3, 56, 57, 90, 91, 92, 8_280, 8_281, 753_570, 753_571, 2 ** 40];
    for (const most of [56, 90, 8_280, 753_570, 2 ** 40]) {
      const { database, store, clock } = openStore();
      const meters = [read(Number.MAX_SAFE_INTEGER)];
      for (const cost of counts.filter((count) => count <= most)) {
        clock.now += 1_000;
        await store.commit(0, [{ meters, cost }]);
      }
      const before = await store.read(meters);
      change(database, [store.clear({ keys: [read(1).key] }, { seq: 1, until: Number.MAX_SAFE_INTEGER })]);
      expect((await store.read(meters))[0]?.used).toBe(0);
      change(database, [store.restore(1)]);
      expect(await store.read(meters)).toEqual(before);
    }
  });

  it('reaches every counter along its primary key', async () => {
    const { database, store } = openStore();
    const prepare = vi.spyOn(database, 'prepare');
    await store.commit(0, [{ meters: KEYS.map(({ key, window }) => read(5, { key, window })), cost: 1 }]);
    await store.listKeys('ip|', 10);
    await store.sweep(10);
    const statements = prepare.mock.calls.map(([sql]) => sql).filter((sql) => !/^(begin|commit)/.test(sql));
    prepare.mockRestore();
    const plans = statements.flatMap((sql) => {
      const steps = database.prepare(`explain query plan ${sql}`).raw().all();
      return steps.map((step) => (Array.isArray(step) ? String(step[3]) : ''));
    });
    expect(plans.filter((step) => /SEARCH (w|m|counter_)/.test(step)).length).toBeGreaterThanOrEqual(6);
    expect(plans.filter((step) => /SCAN (w|m|counter_)/.test(step))).toEqual([]);
  });

  it('reports a mistake of the caller as such, and leaves no transaction open', async () => {
    const { database, store } = openStore();
    await expect(store.commit(0, [{ meters: [read(5)], cost: -1 }])).rejects.toThrow(RangeError);
    expect(database.inTransaction).toBe(false);
  });

  it('leaves another transaction of the connection alone', async () => {
    const { database, store } = openStore();
    database.exec('begin immediate; insert into audit values (1)');
    await expect(store.commit(0, [{ meters: [read(5)], cost: 1 }])).rejects.toThrow(StoreUnavailable);
    expect(database.inTransaction).toBe(true);
    database.exec('commit');
    expect(await store.commit(1, [])).toMatchObject({ kind: 'decided' });
  });

  describe('while no other process decides', () => {
    /** A store that has found nobody else's rows. */
    const alone = async () => {
      const opened = openStore();
      for (let i = 0; i < 2; i += 1) await opened.store.commit(0, [{ meters: [read(5)], cost: 0 }]);
      return opened;
    };

    it('decides a group without a transaction around it', async () => {
      const { database, store } = await alone();
      const exec = vi.spyOn(database, 'exec');
      for (const admitted of [true, true, false]) {
        const commit = await store.commit(0, [{ meters: [read(2)], cost: 1 }]);
        expect(commit).toMatchObject({ kind: 'decided', verdicts: [{ admitted }] });
      }
      expect(exec).not.toHaveBeenCalled();
    });

    it('notices the rows of one that begins to', async () => {
      const path = databasePath();
      const { store } = openStore(path);
      for (let i = 0; i < 2; i += 1) await store.commit(0, [{ meters: [read(5)], cost: 0 }]);
      const other = openStore(path);
      for (let used = 1; used <= 6; used += 1) {
        const commit = await (used % 2 === 0 ? store : other.store).commit(0, [{ meters: [read(9)], cost: 1 }]);
        expect(commit).toMatchObject({ verdicts: [{ readings: [{ used }] }] });
      }
      expect(await store.commit(0, [{ meters: [read(6)], cost: 1 }])).toMatchObject({
        verdicts: [{ admitted: false }],
      });
    });

    it('waits for the lock of another process, and leaves nothing in progress', async () => {
      const path = databasePath();
      let other: Libsql.Database | null = null;
      const release = () => {
        other?.exec('rollback');
        other?.close();
        other = null;
      };
      const { database, store } = openStore(path, { wait: async () => release() });
      for (let i = 0; i < 2; i += 1) await store.commit(0, [{ meters: [read(5)], cost: 0 }]);
      other = new Libsql(path);
      other.exec('begin immediate');
      const commit = await store.commit(0, [{ meters: [read(5)], cost: 1 }]);
      expect(commit).toMatchObject({ verdicts: [{ admitted: true, readings: [{ used: 1 }] }] });
      expect(change(database)).toBe(1);
    });

    it('leaves nothing in progress while another process has the lock, so that others of the connection read', async () => {
      const path = databasePath();
      const { database, store } = openStore(path, { busyDeadline: 0 });
      for (let i = 0; i < 2; i += 1) await store.commit(0, [{ meters: [read(5)], cost: 0 }]);
      const other = new Libsql(path);
      other.exec('begin immediate');
      for (let i = 0; i < 2; i += 1) {
        await expect(store.commit(0, [{ meters: [read(5)], cost: 1 }])).rejects.toThrow(StoreUnavailable);
        database.exec('begin');
        expect(database.prepare('select count(*) from audit').raw().get()).toEqual([0]);
        database.exec('commit');
      }
      other.exec('rollback');
      other.close();
      expect(change(database)).toBe(1);
      expect(await store.commit(1, [{ meters: [read(5)], cost: 1 }])).toMatchObject({
        verdicts: [{ readings: [{ used: 1 }] }],
      });
    });

    it('leaves another transaction of the connection alone', async () => {
      const { database, store } = await alone();
      database.exec('begin immediate');
      await expect(store.commit(0, [{ meters: [read(5)], cost: 1 }])).rejects.toThrow(StoreUnavailable);
      database.exec('rollback');
      const commit = await store.commit(0, [{ meters: [read(5)], cost: 1 }]);
      expect(commit).toMatchObject({ verdicts: [{ readings: [{ used: 1 }] }] });
    });

    it('keeps to the rules of the caller', async () => {
      const { database, store } = await alone();
      const revision = change(database);
      for (const cost of [0, 1]) {
        const group = [{ meters: [read(5)], cost }];
        expect(await store.commit(revision - 1, group)).toEqual({ kind: 'stale', revision });
        expect(await store.commit(revision + 1, group)).toEqual({ kind: 'stale', revision });
      }
      expect(await store.commit(revision, [{ meters: [read(5)], cost: 1 }])).toMatchObject({
        verdicts: [{ readings: [{ used: 1 }] }],
      });
    });
  });

  it('is unavailable once the database is closed', async () => {
    const { database, store } = openStore();
    await store.commit(0, [{ meters: [read(5)], cost: 1 }]);
    database.close();
    await expect(store.commit(0, [])).rejects.toThrow(StoreUnavailable);
    await expect(store.read([])).rejects.toThrow(StoreUnavailable);
    await expect(store.ping()).rejects.toThrow(StoreUnavailable);
    expect(await store.sweep(10)).toBe(0);
  });
});
