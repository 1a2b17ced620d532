import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Breaker } from '@/lib/counters/breaker';
import { groupOptions } from '@/lib/counters/group-commit';
import { MemoryCounters } from '@/lib/counters/memory/store';
import type { CounterState, CounterStore } from '@/lib/counters/store';
import type { Decision } from '@/lib/enforcement/decision';
import { Engine } from '@/lib/enforcement/engine';
import type { LimitState } from '@/lib/enforcement/limit-state';
import type { Rules } from '@/lib/enforcement/rules';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import type { Trace } from '@/lib/enforcement/trace';
import type { Window } from '@/lib/limiter/meter';
import { computeSlot } from '@/lib/limiter/window';
import { factsOfRequest, LaneNames, randomTraffic, rulesOf } from '@/tests/fixtures/random-rules';
import { runs } from '@/tests/fixtures/runs';
import { type OpenedStore, STORES } from './opened-stores';

const LANES = 20;
const REQUESTS = 25;
/** As many cases. A history as long as these is not shrunk: that takes hours. */
const runsOf = (decisions: number) => ({ ...runs(decisions / LANES / REQUESTS), endOnFailure: true });
const GAPS = [0, 0, 1, 17, 500, 1_000, 7_000, 60_000, 61_001, 3_600_000, -400, -5_000, 40 * 86_400_000];

function engineOn(store: CounterStore, rules: Rules): Engine {
  const clock = () => Date.now();
  const cache = { current: rules, refresh: async () => rules, readFresh: async () => rules };
  return new Engine({
    store,
    local: new MemoryCounters({ clock }),
    breaker: new Breaker({ monotonic: () => 0 }),
    rules: cache as unknown as RulesCache,
    clock,
    record: () => undefined,
    groups: groupOptions(store),
    onStoreFailure: (error) => {
      throw error;
    },
  });
}

/** The window that a counter is read by, from its key. */
function windowOf(key: string): Window {
  const last = key.split('|').at(-1);
  return last === 'month' ? { kind: 'month' } : { kind: 'sliding', seconds: Number(last) };
}

/** Everything that the store has counted. */
async function digest(store: CounterStore): Promise<CounterState[]> {
  const keys = await store.listKeys('', 1_000_000);
  return store.read(keys.map((key) => ({ key, window: windowOf(key) })));
}

const slotsOf = (states: readonly CounterState[]) =>
  new Set(states.flatMap(({ key, slots }) => slots.map(({ start, hits }) => `${key} ${start} ${hits}`)));

/** A decision without what changes by the second. */
function withoutTime(of: Decision) {
  const { at, refusal, tightest, limits, quota, ...decision } = of;
  const lasting = (state: LimitState<string> | null) => {
    if (state === null) return null;
    const { resetAfter, reset, ...others } = state;
    // A counter without hits resets now.
    return { ...others, reset: state.used === 0 ? null : reset };
  };
  const { retryAfter, ...why } = refusal ?? {};
  return { ...decision, why, tightest: lasting(tightest), limits: limits.map(lasting), quota: lasting(quota) };
}

/** Whether no slot of a window has ended between the two, so that time has freed nothing. */
function sameSlots({ at, unbypassed }: Trace, decision: Decision): boolean {
  return unbypassed.attempt.meters.every(
    ({ window }) =>
      window.kind === 'month' || computeSlot(at, window.seconds) === computeSlot(decision.at, window.seconds),
  );
}

describe.each(STORES.filter(({ missing }) => !missing))('on the $name store', ({ name, kind, open }) => {
  let opened: OpenedStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());
  afterEach(() => vi.useRealTimers());

  /** Time is the server's where there is one, else the test's. */
  const ownTime = kind === 'local' || kind === 'embedded';
  const seconds = ownTime ? [1, 7, 60, 3600] : [60, 3600, 3601, 7200];
  // Every explanation is a round trip of its own, and a libSQL server takes milliseconds for it.
  const RUNS = runsOf(kind === 'remote' || name === 'redis over HTTP' ? 2_500 : 10_000);
  let compared = 0;
  let run = 0;

  it('an explanation is the next decision, and changes nothing', async () => {
    if (ownTime) vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 20, 12) });
    const gaps = fc.array(fc.constantFrom(...GAPS), { minLength: REQUESTS, maxLength: REQUESTS });
    const traffic = randomTraffic({ lanes: LANES, requests: REQUESTS, seconds });
    await fc.assert(
      fc.asyncProperty(traffic, gaps, async (cases, steps) => {
        run += 1;
        const names = cases.lanes.map((_, lane) => new LaneNames(String(run), lane));
        const engine = engineOn(opened.store, rulesOf(cases, names));
        for (const [step, gap] of steps.entries()) {
          if (ownTime) vi.setSystemTime(Date.now() + gap);
          const facts = cases.lanes.map(({ requests }, lane) => factsOfRequest(requests[step]!, names[lane]!));
          const watched = step === REQUESTS - 1;
          const before = watched ? await digest(opened.store) : [];
          const traces = await Promise.all(facts.map((of) => engine.explain(of)));
          if (watched) {
            const after = await digest(opened.store);
            if (ownTime) expect(after).toEqual(before);
            // Time may take slots out of a window; nothing else may change.
            const known = slotsOf(before);
            expect([...slotsOf(after)].filter((slot) => !known.has(slot))).toEqual([]);
          }
          const decisions = await engine.decideAll(facts);
          for (const [lane, trace] of traces.entries()) compare(trace, decisions[lane]!);
        }
      }),
      RUNS,
    );
    expect(compared).toBeGreaterThan((RUNS.numRuns * LANES * REQUESTS) / 2);
  });

  function compare(trace: Trace, decision: Decision): void {
    if (ownTime) expect(trace.decision).toEqual(decision);
    if (!sameSlots(trace, decision)) return;
    compared += 1;
    expect(withoutTime(trace.decision)).toEqual(withoutTime(decision));
    const passed = (trace.decision.refusal?.retryAfter ?? 0) - (decision.refusal?.retryAfter ?? 0);
    expect(passed).toBeGreaterThanOrEqual(0);
    expect(passed).toBeLessThanOrEqual(Math.ceil((decision.at - trace.at) / 1000));
    expectStanding(trace, decision);
  }

  /** What an explanation shows of each limit is the decision before it was counted. */
  function expectStanding({ planned, measures }: Trace, { refusal, limits, quota }: Decision): void {
    const counted = refusal === null || refusal.violated.length === 0 ? planned.attempt.cost : 0;
    for (const { subject, used, limit } of [...limits, ...(quota === null ? [] : [quota])]) {
      const measure = measures.find(({ meter }) => meter.subject === subject);
      expect(measure).toMatchObject({ meter: { limit }, reading: { limit, used: used - counted } });
      expect(measure?.retryAt !== null).toBe(refusal?.violated.includes(subject) === true);
    }
  }
});
