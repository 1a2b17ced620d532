import fc from 'fast-check';
import type Libsql from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { embeddedCounters, openCounters } from '@/bench/tables';
import { buildCounterState } from '@/lib/counters/counter-state';
import type { EmbeddedCounters } from '@/lib/counters/embedded/store';
import { type Counter, createEmptyCounter, sumCounters } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Attempt, Meter, Window } from '@/lib/limiter/meter';
import { computeCalendarMonth } from '@/lib/limiter/window';
import { runs } from '../../../fixtures/runs';
import { change, databasePath, settleInto } from '../open-counters';

const SLIDING: Window = { kind: 'sliding', seconds: 60 };
const MONTH: Window = { kind: 'month' };
const KEYS: readonly { key: string; window: Window }[] = [
  ...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ key: `ip|${id}|read|60`, window: SLIDING })),
  { key: 'user|a|write|3600', window: { kind: 'sliding', seconds: 3600 } },
  { key: 'quota|a|month', window: MONTH },
  { key: 'quota|b|month', window: MONTH },
];
/** Counters of candidates, each with the live counter that it shadows: of the same window, and of another one. */
const CANDIDATES = KEYS.flatMap(({ key, window }) => {
  if (window.kind === 'month') return [];
  const scope = key.slice(0, key.lastIndexOf('|'));
  return [
    { key: `${scope}|c1|${window.seconds}`, window, live: key },
    { key: `${scope}|c2|30`, window: { kind: 'sliding', seconds: 30 } as const, live: key },
  ];
});
const START = Date.UTC(2026, 10, 30, 23, 58);

/** What ends a fold in the middle, as the death of its process would. */
class Died extends Error {}

/** Processes on one file, each with a connection and a memory of its own, which fold whenever a few counters were journaled. */
class Processes {
  readonly path = databasePath();
  readonly clock = { now: START };
  readonly all: { database: Libsql.Database; store: EmbeddedCounters; pauses: number }[] = [];
  revision = 0;

  constructor(count: number) {
    for (let i = 0; i < count; i += 1) this.start(i);
    onTestFinished(() => {
      for (const { database } of this.all) database.close();
    });
  }

  /** Starts a process in the place of one that died. */
  start(index: number): void {
    this.all[index]?.database.close();
    const database = openCounters(this.path);
    const process = { database, pauses: Number.POSITIVE_INFINITY };
    const store = embeddedCounters(database, {
      clock: () => this.clock.now,
      monotonic: () => this.clock.now,
      wait: async () => {
        if (process.pauses <= 0) throw new Died();
        process.pauses -= 1;
      },
      foldSizes: { counters: 8, units: 1_500, step: 2, rows: 2 },
      remembered: 6,
      unpacked: [0, 2, undefined][index],
    });
    this.all[index] = Object.assign(process, { store });
  }

  at(index: number) {
    const process = this.all[index];
    if (process === undefined) throw new Error('No such process.');
    return process;
  }
}

interface Model {
  counters: Map<string, Counter>;
  kept: Map<number, Map<string, Counter>>;
}
type Step = fc.AsyncCommand<Model, Processes>;

const step = (text: string, run: (model: Model, real: Processes) => Promise<void>): Step => ({
  check: () => true,
  run,
  toString: () => text,
});

const somebody = fc.integer({ min: 0, max: 2 });
const counter = fc.constantFrom(...KEYS);
const attempt = fc.record({
  meters: fc
    .uniqueArray(counter, { selector: ({ key }) => key, maxLength: 4 })
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map(({ key, window }) =>
          fc.integer({ min: 0, max: 9 }).map((limit): Meter => ({ subject: 'ip', key, window, limit })),
        ),
      ),
    ),
  cost: fc.integer({ min: 0, max: 3 }),
});

async function decide(model: Model, real: Processes, who: number, group: readonly Attempt[]): Promise<void> {
  const { verdicts, changed } = evaluateGroup(group, real.clock.now, model.counters);
  for (const { key, counter } of changed) model.counters.set(key, counter);
  const answer = await real.at(who).store.commit(real.revision, group);
  expect(answer).toEqual({ kind: 'decided', now: real.clock.now, verdicts, settled: [] });
}

const groups = fc.array(fc.array(attempt, { maxLength: 3 }), { maxLength: 2 });
/** The attempts of candidates that shadow all windows of a group. */
function tried(group: readonly Attempt[], limit: number): Attempt[] {
  return group.flatMap(({ meters, cost }) =>
    CANDIDATES.filter(({ live }) => meters.some(({ key }) => key === live)).map(
      ({ key, window }): Attempt => ({ meters: [{ subject: 'ip', limit, key, window }], cost }),
    ),
  );
}

const commit = fc
  .tuple(somebody, fc.array(attempt, { maxLength: 6 }), fc.constantFrom(null, 1, 9))
  .map(([who, attempts, limit]: [number, Attempt[], number | null]) => {
    const group = limit === null ? attempts : [...attempts, ...tried(attempts, limit)];
    return step(`${who} commits ${JSON.stringify(group)}`, (model, real) => decide(model, real, who, group));
  });

const pass = fc.integer({ min: 0, max: 90_000 }).map((by) =>
  step(`${by} ms pass`, async (_model, real) => {
    real.clock.now += by;
  }),
);

const fold = somebody.map((who) => step(`${who} folds`, (_model, real) => real.at(who).store.fold()));

const die = fc.tuple(somebody, fc.integer({ min: 0, max: 6 })).map(([who, pauses]) =>
  step(`${who} dies after ${pauses} pauses of a fold`, async (_model, real) => {
    const process = real.at(who);
    process.pauses = pauses;
    await process.store.fold().catch(() => undefined);
    real.start(who);
  }),
);

const sweep = somebody.map((who) =>
  step(`${who} sweeps`, async (_model, real) => {
    await real.at(who).store.sweep(1_000);
  }),
);

const selection = fc.oneof(
  fc.constantFrom('ip|', 'ip|a|', 'quota|', '').map((prefix) => ({ prefix })),
  fc
    .uniqueArray(fc.constantFrom(...KEYS, ...CANDIDATES), { selector: ({ key }) => key })
    .map((chosen) => ({ keys: chosen.map(({ key }) => key) })),
);

const clear = fc
  .tuple(somebody, somebody, groups, fc.boolean(), selection)
  .map(([who, other, meanwhile, folds, selected]) =>
    step(`${who} clears ${JSON.stringify(selected)}`, async (model, real) => {
      const isSelected = (key: string) =>
        'prefix' in selected ? key.startsWith(selected.prefix) : selected.keys.includes(key);
      const { store, database } = real.at(who);
      const kept = { seq: real.revision + 1, until: Number.MAX_SAFE_INTEGER };
      // Others go on between the plan of a change and its transaction.
      const cleared = store.clear(selected, kept);
      for (const group of meanwhile) await decide(model, real, other, group);
      if (folds) await real.at(other).store.fold();
      real.revision = change(database, [cleared]);
      const gone = new Map([...model.counters].filter(([key]) => isSelected(key)));
      model.kept.set(real.revision, gone);
      for (const key of gone.keys()) model.counters.delete(key);
    }),
  );

const restore = fc.tuple(somebody, fc.nat()).map(([who, which]) =>
  step(`${who} takes a reset back`, async (model, real) => {
    const [seq, gone] = [...model.kept][which % Math.max(1, model.kept.size)] ?? [];
    if (seq === undefined || gone === undefined) return;
    const { store, database } = real.at(who);
    real.revision = change(database, [store.restore(seq)]);
    model.kept.delete(seq);
    for (const [key, counter] of gone) {
      const present = model.counters.get(key);
      model.counters.set(key, present === undefined ? counter : sumCounters(present, counter));
    }
  }),
);

const forgive = fc.tuple(somebody, fc.constantFrom('quota|a|month', 'quota|b|month')).map(([who, key]) =>
  step(`${who} forgives ${key}`, async (model, real) => {
    const { store, database } = real.at(who);
    real.revision = change(database, [store.resetUsage({ key, window: { kind: 'month' } })]);
    const present = model.counters.get(key);
    if (present?.kind === 'month' && present.month >= computeCalendarMonth(real.clock.now)) {
      model.counters.set(key, { ...present, floor: present.hits });
    }
  }),
);

const settle = fc.constant(
  step('everything is settled', async (_model, real) => {
    settleInto(real.at(0).database);
  }),
);

const inspect = somebody.map((who) =>
  step(`${who} looks`, async (model, real) => {
    const { now } = real.clock;
    const { store } = real.at(who);
    const refs = [...KEYS, ...CANDIDATES].map(({ key, window }) => ({ key, window }));
    const states = refs.map(({ key, window }) => {
      return buildCounterState(key, model.counters.get(key) ?? createEmptyCounter(window, now), window, now);
    });
    expect(await store.read(refs)).toEqual(states);
    const listed = new Set(await store.listKeys('', 100));
    for (const { key, used } of states) if (used > 0) expect(listed).toContain(key);
  }),
);

describe('the journal of the embedded file', () => {
  it('says what the judge says, whatever is folded, swept, cleared and taken back, and whoever sleeps or dies', async () => {
    const steps = [commit, commit, commit, pass, fold, die, sweep, clear, restore, forgive, settle, inspect];
    await fc.assert(
      fc.asyncProperty(fc.commands(steps, { maxCommands: 50, size: 'max' }), async (commands) => {
        const real = new Processes(3);
        await fc.asyncModelRun(() => ({ model: { counters: new Map(), kept: new Map() }, real }), commands);
      }),
      runs(150),
    );
  });
});
