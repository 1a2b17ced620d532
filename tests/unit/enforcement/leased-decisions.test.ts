import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_POLICIES, mergePatch } from '@/lib/contract/policies';
import { Breaker } from '@/lib/counters/breaker';
import { LEASE_LIFE } from '@/lib/counters/held-lease';
import { Leases } from '@/lib/counters/leases';
import { MemoryCounters } from '@/lib/counters/memory/store';
import type { Commit, CounterStore } from '@/lib/counters/store';
import type { CandidateRecord } from '@/lib/enforcement/candidates';
import { Engine } from '@/lib/enforcement/engine';
import { readNamedLimits } from '@/lib/enforcement/named-limits';
import type { Facts } from '@/lib/enforcement/plan';
import { Rules } from '@/lib/enforcement/rules';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import { parseAddress } from '@/lib/limiter/address';
import type { Attempt } from '@/lib/limiter/meter';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { LeasingModel } from '../../fixtures/leasing-model';

const START = Date.UTC(2026, 10, 23, 12);
const KEY = 'ip|203.0.113.9|read|60';
const LIMIT = { limit: 1_000, window_seconds: 60 };

let model: LeasingModel;
let rules: Rules;
let engine: Engine;
let leases: Leases;
let wall: number;
let calls: number;
let events: DecisionEvent[];

beforeEach(() => {
  model = new LeasingModel();
  model.now = START;
  wall = 0;
  calls = 0;
  events = [];
  rules = new Rules(mergePatch(DEFAULT_POLICIES, { classes: { read: { ip: LIMIT, user: LIMIT, lease: 100 } } }));
  const clock = () => model.now + wall;
  const monotonic = () => model.now - START;
  // Decides as Redis does, at the time of the model.
  const store: CounterStore = new MemoryCounters({ clock });
  store.commit = async (_: number, attempts: readonly Attempt[]): Promise<Commit> => {
    calls += 1;
    return { kind: 'decided', now: model.now, verdicts: attempts.map((attempt) => model.decide(attempt)), settled: [] };
  };
  leases = new Leases({ leasing: model, monotonic, clock });
  engine = new Engine({
    store,
    leases,
    local: new MemoryCounters({ clock }),
    breaker: new Breaker({ monotonic }),
    rules: { current: rules, refresh: async () => rules, readFresh: async () => rules } as unknown as RulesCache,
    clock,
    record: (event) => events.push(event),
    groups: {},
    onStoreFailure: () => undefined,
  });
});

const facts = (more: Partial<Facts> = {}): Facts => {
  const address = parseAddress('203.0.113.9');
  return { method: 'GET', path: '/api/data', class: 'read', address, requestId: null, ...more };
};
const ask = (times: number, more: Partial<Facts> = {}) =>
  engine.decideAll(Array.from({ length: times }, () => facts(more)));

/** How many of these requests the store decided. */
async function asked(times: number, more: Partial<Facts> = {}): Promise<number> {
  const before = events.length;
  const called = calls;
  await ask(times, more);
  expect(events.length - before).toBe(times);
  return calls - called;
}

describe('decisions by permits', () => {
  it('are made of a subject that is hot, and of no other', async () => {
    await ask(19);
    expect([model.used(KEY), calls]).toEqual([19, 1]);
    await ask(1);
    // Twenty were asked for in this second, so twenty are taken.
    expect([model.used(KEY), calls]).toEqual([40, 2]);
    expect(await asked(10)).toBe(0);
    expect(await asked(1, { address: parseAddress('203.0.113.10') })).toBe(1);
    expect(await asked(1, { class: 'write' })).toBe(1);
  });

  it('are told to a receiver at once', async () => {
    await ask(20);
    const told: unknown[] = [];
    engine.decideTo(facts(), { resolve: ({ outcome }) => told.push(outcome), reject: (error) => told.push(error) });
    expect([told, calls]).toEqual([['allowed'], 1]);
  });

  it('say what is known of the limit', async () => {
    await ask(19);
    await ask(1);
    // The permits were taken before the last of these was counted.
    const [first, second] = await ask(2);
    expect(first).toMatchObject({ outcome: 'allowed', tightest: { limit: 1_000, used: 20, remaining: 980 } });
    expect(second).toMatchObject({ tightest: { used: 21, remaining: 979, reset: (START + 61_000) / 1_000 } });
  });

  it('are refundable, in the slot in which they were counted', async () => {
    await ask(20);
    model.now += 300;
    const [decision] = await ask(1, { refundable: true });
    expect(decision?.charged).toMatchObject({ at: START + 300, cost: 1, counters: [{ key: KEY }] });
  });

  it('are not made with a limit that is not leased, nor with a candidate', async () => {
    await ask(30);
    expect(await asked(5, { client: { id: 'demo', type: 'public' } })).toBe(1);
    expect(await asked(5, { userId: 'cold' })).toBe(1);
    const windows = [{ limit: 5, window: { kind: 'sliding', seconds: 60 } as const }];
    const candidate: CandidateRecord = { id: 'c', windows, places: null, endsAt: null };
    rules.candidates = new Map([['classes.read.ip', candidate]]);
    expect(await asked(5)).toBe(1);
    rules.candidates = null;
    expect(await asked(5)).toBe(0);
  });

  it('are made of a named limit with a lease, where no class has one', async () => {
    rules.policies = DEFAULT_POLICIES;
    const limit = { id: 'l1', name: 'sms', description: '', unit: 'codes', tiers: {}, lease: 100, in_flight: null };
    const windows = [{ limit: 1_000, seconds: 60 }];
    const stored = { ...limit, windows, on_store_failure: 'local', created_at: '', created_by: '' };
    rules.limits = readNamedLimits([stored]).limits;
    const named = { class: null, limits: [{ name: 'sms', subject: 'a', cost: 1 }] };
    await ask(25, named);
    expect(await asked(5, named)).toBe(0);
    expect(model.used('limit|a|l1|60')).toBe(45);
  });

  it('are made of an address and a user, both of them hot', async () => {
    await ask(25, { userId: 'hot' });
    expect(await asked(5, { userId: 'hot' })).toBe(0);
    expect(model.used('user|hot|read|60')).toBe(45);
  });

  it.each([
    [
      'the slot ends',
      () => {
        model.now += 1_000;
      },
    ],
    [
      'the clock of the wall says that a second is over: the machine slept',
      () => {
        wall += LEASE_LIFE;
        // The wall clock is read every 50 µs.
        model.now += 1;
      },
    ],
    [
      'the rules have changed',
      () => {
        rules.revision += 1;
      },
    ],
    [
      'an override has another limit',
      () => {
        rules.policies = mergePatch(rules.policies, { classes: { read: { ip: { limit: 999 } } } });
      },
    ],
    [
      'the lease was taken away',
      () => {
        rules.policies = mergePatch(rules.policies, { classes: { read: { lease: null } } });
      },
    ],
  ])('end when %s', async (_, happens) => {
    await ask(20);
    expect(await asked(1)).toBe(0);
    happens();
    expect(await asked(1)).toBe(1);
  });

  it('count under the throttle of the instance, and keep the permit where that refuses', async () => {
    rules.policies = mergePatch(rules.policies, { global: { limit: 2, window_seconds: 60 } });
    await ask(20);
    const outcomes: string[] = [];
    for (let i = 0; i < 4; i += 1) outcomes.push((await engine.admit(facts())).outcome);
    expect(outcomes).toEqual(['allowed', 'allowed', 'refused', 'refused']);
    await leases.close();
    expect(model.used(KEY)).toBe(22);
  });

  it('leave nothing behind when the instance stops', async () => {
    await ask(50);
    expect(await asked(7)).toBe(0);
    expect(model.used(KEY)).toBeGreaterThan(57);
    await leases.close();
    expect(model.used(KEY)).toBe(57);
    expect(await asked(1)).toBe(1);
  });
});
