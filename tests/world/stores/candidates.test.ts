import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_POLICIES, mergePatch } from '@/lib/contract/policies';
import { Breaker } from '@/lib/counters/breaker';
import { MemoryCounters } from '@/lib/counters/memory/store';
import type { CounterStore } from '@/lib/counters/store';
import { Engine } from '@/lib/enforcement/engine';
import { compileRouteRules } from '@/lib/enforcement/route-rules';
import { Rules } from '@/lib/enforcement/rules';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import { parseAddress } from '@/lib/limiter/address';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { type OpenedStore, STORES } from './opened-stores';

const PATHS = ['/api/orders', '/api/reports', '/api/exports'];
const LIMIT = { limit: 8, window_seconds: 3600 };
const DAY = 86_400;

/** Live and candidate rules that give the same paths other classes and costs, and a candidate limit. */
const sliding = (limit: number, seconds: number) => ({ limit, window: { kind: 'sliding', seconds } as const });

function rulesOf(): Rules {
  const classes = { read: { ip: LIMIT, user: LIMIT }, sensitive: { ip: { ...LIMIT, limit: 5 } } };
  const rules = new Rules(mergePatch(DEFAULT_POLICIES, { classes }));
  rules.routeRules = compileRouteRules([{ method: '*', path: '/api/reports', class: 'sensitive' }]).rules;
  const tried = [
    { method: '*', path: '/api/orders', class: 'sensitive', cost: 2 },
    { method: '*', path: '/api/reports', class: 'read' },
  ];
  rules.candidateRules = { id: 'c2', rules: compileRouteRules(tried).rules, endsAt: null };
  rules.candidates = new Map([
    ['classes.read.ip', { id: 'c1', windows: [sliding(4, 3600)], places: null, endsAt: null }],
    ['classes.read.user', { id: 'c3', windows: [sliding(4, DAY)], places: null, endsAt: null }],
    [
      'limits.tokens',
      { id: 'c4', windows: [sliding(3, 3600), sliding(20, DAY)], places: sliding(4, 3600), endsAt: null },
    ],
  ]);
  const tokens = { id: 'tokens', name: 'tokens', unit: 'tokens', tiers: {}, isClosedOnFailure: true, lease: null };
  const windows = [sliding(5, 3600), sliding(12, DAY)];
  const origin = { kind: 'limit', id: 'tokens', place: 'limits.tokens' } as const;
  rules.limits = new Map([['tokens', { ...tokens, windows, places: sliding(6, 3600), origin }]]);
  return rules;
}

function engineOn(store: CounterStore, clock: () => number) {
  const rules = rulesOf();
  const events: DecisionEvent[] = [];
  const engine = new Engine({
    store,
    local: new MemoryCounters({ clock }),
    breaker: new Breaker({ monotonic: () => performance.now(), failures: 100 }),
    rules: { current: rules, refresh: async () => rules, readFresh: async () => rules } as unknown as RulesCache,
    clock,
    record: (event) => events.push(event),
    groups: {},
    onStoreFailure: (error) => {
      throw error;
    },
  });
  return { engine, events };
}

const groups = fc.array(
  fc.array(
    fc.record({
      path: fc.constantFrom(...PATHS),
      address: fc.constantFrom(1, 2),
      user: fc.constantFrom(undefined, 'ann'),
      /** Cost of the named limit. Null: the request names none. */
      tokens: fc.constantFrom(null, 0, 1, 2),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  { minLength: 1, maxLength: 8 },
);

describe.each(STORES.filter(({ missing }) => !missing))('candidates on the $name store', ({ open }) => {
  let opened: OpenedStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());

  it('would decide what they would in memory, in groups of any size', async () => {
    // One time for the judge: no window of these ends while the test runs.
    const now = Date.now();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(groups, async (history) => {
        run += 1;
        const [own, memory] = [
          engineOn(opened.store, Date.now),
          engineOn(new MemoryCounters({ clock: () => now }), () => now),
        ];
        for (const group of history) {
          const facts = group.map(({ path, address, user, tokens }) => ({
            ...{ method: 'GET', path, requestId: null, address: parseAddress(`10.${run}.0.${address}`) },
            ...(user === undefined ? {} : { userId: `${user}${run}` }),
            ...(tokens === null ? {} : { limits: [{ name: 'tokens', subject: `${address}.${run}`, cost: tokens }] }),
          }));
          const outcomes = (await own.engine.decideAll(facts)).map(({ outcome }) => outcome);
          expect(outcomes).toEqual((await memory.engine.decideAll(facts)).map(({ outcome }) => outcome));
          const tried = own.events.splice(0).map(({ candidates }) => candidates);
          expect(tried).toEqual(memory.events.splice(0).map(({ candidates }) => candidates));
        }
      }),
      { numRuns: 40 },
    );
  });
});
