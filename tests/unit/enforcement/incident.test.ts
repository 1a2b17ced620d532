import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICIES, mergePatch } from '@/lib/contract/policies';
import { Breaker } from '@/lib/counters/breaker';
import { MemoryCounters } from '@/lib/counters/memory/store';
import { StoreUnavailable } from '@/lib/counters/store';
import { Engine } from '@/lib/enforcement/engine';
import { buildDecisionHeaders } from '@/lib/enforcement/headers';
import { type IncidentRecord, isWrite, scaleLimit } from '@/lib/enforcement/incident';
import type { Facts } from '@/lib/enforcement/plan';
import { Rules } from '@/lib/enforcement/rules';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import { parseAddress } from '@/lib/limiter/address';
import { buildCounterKey } from '@/lib/limiter/counter-key';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { table } from '../../fixtures/table';

const START = Date.UTC(2026, 10, 20, 12);
const WINDOW = { kind: 'sliding', seconds: 60 } as const;

/** An engine whose classes read and write have this limit per address, and what moves its clock. */
function setUp(limit: number) {
  const state = { now: START, broken: false };
  const own = { ip: { limit, window_seconds: 60 } };
  const rules = new Rules(mergePatch(DEFAULT_POLICIES, { classes: { read: own, write: own } }));
  const store = new MemoryCounters({ clock: () => state.now });
  const events: DecisionEvent[] = [];
  const engine = new Engine({
    store: {
      kind: 'local',
      commit: (revision: number, attempts: never[]) => {
        if (state.broken) throw new StoreUnavailable('down');
        return store.commit(revision, attempts);
      },
    } as unknown as MemoryCounters,
    local: new MemoryCounters({ clock: () => state.now }),
    breaker: new Breaker({ monotonic: () => state.now, failures: 100 }),
    rules: { current: rules, refresh: async () => rules, readFresh: async () => rules } as unknown as RulesCache,
    clock: () => state.now,
    record: (event) => events.push(event),
    groups: {},
    onStoreFailure: () => undefined,
  });
  const decide = (facts: Partial<Facts>) =>
    engine.decide({ method: null, path: null, address: parseAddress('192.0.2.1'), requestId: null, ...facts });
  const used = async (name: 'read' | 'write') => {
    const [counter] = await store.read([{ key: buildCounterKey('ip', '192.0.2.1', name, WINDOW), window: WINDOW }]);
    return counter?.used ?? 0;
  };
  return { state, rules, decide, used, events };
}

const incidents: fc.Arbitrary<Omit<IncidentRecord, 'until'>> = fc.oneof(
  fc.constantFrom('observe', 'read_only').map((mode) => ({ mode: mode as 'observe' | 'read_only', factor: 1 })),
  fc.integer({ min: 10, max: 1_000 }).map((hundredths) => ({ mode: 'factor' as const, factor: hundredths / 100 })),
);
const steps = fc.array(
  fc.record({
    gap: fc.constantFrom(0, 0, 1, 1_000, 7_000, 61_000),
    start: fc.option(fc.record({ incident: incidents, lasts: fc.constantFrom(1, 900, 1_001, 8_000, 90_000) })),
    class: fc.constantFrom('read', 'write'),
    cost: fc.constantFrom(1, 1, 2, 5),
  }),
  { minLength: 1, maxLength: 60 },
);

describe('an incident', () => {
  it('changes what is decided while it is in force, and never what was counted', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 0, max: 12 }), async (history, limit) => {
        const { state, rules, decide, used } = setUp(limit);
        for (const step of history) {
          state.now += step.gap;
          if (step.start !== null) rules.incident = { ...step.start.incident, until: state.now + step.start.lasts };
          const incident = rules.incident !== null && rules.incident.until > state.now ? rules.incident : null;
          const before = await used(step.class);
          const decision = await decide({ class: step.class, cost: step.cost });
          const after = await used(step.class);

          const closed = incident?.mode === 'read_only' && step.class === 'write';
          const inForce = incident?.mode === 'factor' ? scaleLimit(limit, incident.factor) : limit;
          const fits = before + step.cost <= inForce;
          expect(decision.incident).toBe(incident?.mode ?? null);
          expect(decision.tightest?.limit).toBe(inForce);
          expect(after - before).toBe(fits && !closed ? step.cost : 0);
          if (closed) {
            expect(decision.refusal).toMatchObject({
              error: 'service_unavailable',
              retryAfter: Math.max(1, Math.ceil((incident.until - state.now) / 1000)),
            });
          } else if (incident?.mode === 'observe') {
            expect(decision.outcome).toBe(fits ? 'allowed' : 'observed');
            expect(decision.observed?.error ?? null).toBe(fits ? null : 'rate_limit_exceeded');
          } else expect(decision.outcome).toBe(fits ? 'allowed' : 'refused');
        }
      }),
      { numRuns: 60 },
    );
  });

  it('ends in the very millisecond of its until', async () => {
    const { state, rules, decide } = setUp(0);
    rules.incident = { mode: 'observe', factor: 1, until: START + 1 };
    expect((await decide({ class: 'read' })).outcome).toBe('observed');
    state.now += 1;
    expect((await decide({ class: 'read' })).outcome).toBe('refused');
  });

  it('is told by the status of an answer, unless that is bypassed or degraded', async () => {
    const { state, rules, decide } = setUp(5);
    const status = async () => buildDecisionHeaders(await decide({ class: 'read' }), false)['X-RateLimit-Status'];
    for (const [mode, told] of [
      ['observe', 'observing'],
      ['factor', 'adjusted'],
      ['read_only', 'read_only'],
    ] as const) {
      rules.incident = { mode, factor: 2, until: START + 1 };
      expect(await status()).toBe(told);
    }
    state.broken = true;
    expect(await status()).toBe('degraded');
  });

  it('that observes refuses nothing while the store is down, but an unknown key', async () => {
    const { state, rules, decide, events } = setUp(5);
    rules.incident = { mode: 'observe', factor: 1, until: START + 1 };
    state.broken = true;
    const through = await decide({ class: 'auth' });
    expect([through.outcome, through.observed?.error]).toEqual(['observed', 'service_unavailable']);
    expect(events.at(-1)).toMatchObject({ outcome: 'observed', reason: 'service_unavailable' });
    expect((await decide({ class: 'auth', apiKey: 'unknown' })).refusal?.error).toBe('invalid_api_key');
  });

  it('is recorded with what would have refused, and with what it refuses', async () => {
    const { rules, decide, events } = setUp(0);
    rules.incident = { mode: 'observe', factor: 1, until: START + 1 };
    await decide({ class: 'read', cost: 3 });
    expect(events.at(-1)).toMatchObject({
      outcome: 'observed',
      reason: 'rate_limit_exceeded',
      subjectType: 'ip',
      identifier: '192.0.2.1',
      cost: 3,
      refusedBy: { limit: 0, used: 0 },
      source: 'policy',
    });
    rules.incident = { mode: 'read_only', factor: 1, until: START + 1 };
    await decide({ class: 'write', cost: 3 });
    expect(events.at(-1)).toMatchObject({
      outcome: 'refused',
      reason: 'service_unavailable',
      subjectType: null,
      cost: 3,
      source: 'incident',
    });
  });
});

describe('a limit times a factor', () => {
  table('%i times %d is %i', scaleLimit, [
    [100, 0.29, 29],
    [70, 0.1, 7],
    [100, 1.1, 110],
    [3, 0.1, 1],
    [1, 0.5, 1],
    [0, 10, 0],
    [1_000_000_000, 10, 10_000_000_000],
  ]);

  it('is the whole part of the exact product, at least 1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), fc.integer({ min: 10, max: 1_000 }), (limit, part) => {
        const exact = (BigInt(limit) * BigInt(part)) / 100n;
        expect(BigInt(scaleLimit(limit, part / 100))).toBe(exact > 1n ? exact : 1n);
      }),
    );
  });
});

describe('what read-only refuses', () => {
  table('%s %s: %s', isWrite, [
    ['write', 'POST', true],
    ['write', 'GET', true],
    ['write', 'OPTIONS', false],
    ['write', null, true],
    ['read', 'POST', false],
    ['sensitive', 'GET', false],
    ['sensitive', 'DELETE', true],
    ['sensitive', null, true],
    ['auth', 'POST', false],
    ['lab', 'POST', false],
  ]);
});
