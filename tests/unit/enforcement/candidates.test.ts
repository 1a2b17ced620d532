import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICIES, mergePatch } from '@/lib/contract/policies';
import { Breaker } from '@/lib/counters/breaker';
import { MemoryCounters } from '@/lib/counters/memory/store';
import { type CandidateRecord, hasCandidates, readCandidateRules, readCandidates } from '@/lib/enforcement/candidates';
import { Engine } from '@/lib/enforcement/engine';
import { plan } from '@/lib/enforcement/plan';
import { compileRouteRules } from '@/lib/enforcement/route-rules';
import { Rules } from '@/lib/enforcement/rules';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import { parseAddress, parseRange } from '@/lib/limiter/address';
import type { DecisionEvent } from '@/lib/statistics/decision-event';

/** A range of addresses. */
function rangeOf(text: string) {
  const range = parseRange(text);
  if (range === null) throw new Error(text);
  return range;
}

const START = Date.UTC(2026, 10, 20, 12);

/** An engine with these limits of class read, and what moves its clock. */
function setUp(ip: number, user: number) {
  const state = { now: START };
  const rules = new Rules(
    mergePatch(DEFAULT_POLICIES, {
      classes: { read: { ip: { limit: ip, window_seconds: 60 }, user: { limit: user, window_seconds: 60 } } },
    }),
  );
  const store = new MemoryCounters({ clock: () => state.now });
  const events: DecisionEvent[] = [];
  const engine = new Engine({
    store,
    local: new MemoryCounters({ clock: () => state.now }),
    breaker: new Breaker({ monotonic: () => state.now, failures: 100 }),
    rules: { current: rules, refresh: async () => rules, readFresh: async () => rules } as unknown as RulesCache,
    clock: () => state.now,
    record: (event) => events.push(event),
    groups: {},
    onStoreFailure: () => undefined,
  });
  const facts = (address: string, cost: number, userId?: string) => ({
    ...{ method: null, path: null, requestId: null, class: 'read' as const, cost },
    address: parseAddress(address),
    ...(userId === undefined ? {} : { userId }),
  });
  const tried = ({
    id = 'c1',
    limit = 5,
    seconds = 60,
    endsAt = null as CandidateRecord['endsAt'],
  } = {}): CandidateRecord => ({
    ...{ id, windows: [{ limit, window: { kind: 'sliding', seconds } }], places: null, endsAt },
  });
  return { state, rules, engine, events, facts, tried };
}

/**
 * The judge: hits of a sliding window of 60 slots, written down one by one. It shares no line with the engine.
 */
class Judge {
  readonly #hits: { slot: number; cost: number }[] = [];
  constructor(
    private readonly limit: number,
    private readonly seconds: number,
  ) {}

  fits(now: number, cost: number): boolean {
    const slot = Math.floor((now * 60) / (this.seconds * 1_000));
    const seen = this.#hits.filter((hit) => hit.slot >= slot - 60).reduce((sum, hit) => sum + hit.cost, 0);
    return seen + cost <= this.limit;
  }

  add(now: number, cost: number): void {
    this.#hits.push({ slot: Math.floor((now * 60) / (this.seconds * 1_000)), cost });
  }
}

const requests = fc.array(
  fc.record({
    gap: fc.constantFrom(0, 0, 0, 999, 1_000, 7_000, 31_000, 62_000),
    address: fc.constantFrom('192.0.2.1', '192.0.2.2'),
    cost: fc.constantFrom(1, 1, 1, 2, 4),
    user: fc.constantFrom(undefined, undefined, 'ann'),
  }),
  { minLength: 1, maxLength: 80 },
);

describe('a candidate limit', () => {
  it('decides exactly as a limiter with that one limit, and changes no decision', async () => {
    const limit = fc.integer({ min: 0, max: 12 });
    const seconds = fc.constantFrom(10, 60, 120);
    await fc.assert(
      fc.asyncProperty(requests, limit, limit, limit, seconds, async (history, ip, user, tries, length) => {
        const { state, rules, engine, events, facts, tried } = setUp(ip, user);
        const alone = setUp(ip, user);
        const candidate = tried({ limit: tries, seconds: length });
        rules.candidates = new Map([['classes.read.ip', candidate]]);
        const judges = new Map<string, Judge>();
        const [liveOf, userOf] = [new Map<string, Judge>(), new Judge(user, 60)];
        for (const { gap, address, cost, user: name } of history) {
          state.now += gap;
          alone.state.now = state.now;
          const decision = await engine.decide(facts(address, cost, name));
          expect(decision).toEqual(await alone.engine.decide(facts(address, cost, name)));

          const judge = judges.get(address) ?? new Judge(tries, length);
          const live = liveOf.get(address) ?? new Judge(ip, 60);
          judges.set(address, judge);
          liveOf.set(address, live);
          const [fits, fitsLive] = [judge.fits(state.now, cost), live.fits(state.now, cost)];
          const fitsUser = name === undefined || userOf.fits(state.now, cost);
          if (fits) judge.add(state.now, cost);
          if (fitsLive && fitsUser) {
            live.add(state.now, cost);
            if (name !== undefined) userOf.add(state.now, cost);
          }
          const would = !fitsUser || fits === fitsLive ? null : fits ? 'allow' : 'refuse';
          expect(events.at(-1)?.candidates).toEqual([{ id: 'c1', identifier: would === null ? null : address, would }]);
        }
      }),
      { numRuns: Number(process.env.SLUICE_TEST_RUNS ?? 1) * 100 },
    );
  });

  it('starts empty when it is set, whatever the live limit has counted, and again when another replaces it', async () => {
    const { rules, engine, events, facts, tried } = setUp(10, 10);
    const decide = async () => {
      await engine.decide(facts('192.0.2.1', 1));
      return events.at(-1)?.candidates[0]?.would;
    };
    for (let i = 0; i < 6; i += 1) await decide();
    rules.candidates = new Map([['classes.read.ip', tried({ limit: 2 })]]);
    expect([await decide(), await decide(), await decide()]).toEqual([null, null, 'refuse']);
    rules.candidates = new Map([['classes.read.ip', tried({ id: 'c2', limit: 2 })]]);
    expect(await decide()).toBe(null);
    // The live limit is used up, and the candidate still has room for one.
    expect(await decide()).toBe('allow');
    expect(await decide()).toBe(null);
  });

  it('is tried for all that arrive at once, each with its own outcome', async () => {
    const { rules, engine, events, facts, tried } = setUp(10, 1_000);
    rules.candidates = new Map([
      ['classes.read.ip', tried({ limit: 4 })],
      ['classes.read.user', tried({ id: 'c2', limit: 2 })],
    ]);
    const decisions = await Promise.all(
      Array.from({ length: 24 }, (_, i) => engine.decide(facts(i % 2 ? '192.0.2.1' : '2001:db8::1', 1, 'ann'))),
    );
    expect(decisions.filter(({ outcome }) => outcome === 'allowed')).toHaveLength(20);
    const outcomes = events.flatMap(({ candidates }) => candidates);
    const refused = (id: string, identifier: string) =>
      outcomes.filter((one) => one.id === id && one.identifier === identifier && one.would === 'refuse').length;
    expect([refused('c1', '192.0.2.1'), refused('c1', '2001:db8::/64'), refused('c2', 'ann')]).toEqual([6, 6, 18]);
  });

  it('is not tried once it has ended, for an identifier with an override, for a bypass, or where nothing counts', async () => {
    const { state, rules, engine, events, facts, tried } = setUp(10, 10);
    const last = async () => {
      await engine.decide(facts('192.0.2.1', 1));
      return events.at(-1)?.candidates.length;
    };
    rules.candidates = new Map([['classes.read.ip', tried({ endsAt: START + 1_000 })]]);
    expect(await last()).toBe(1);
    await engine.decide(facts('192.0.2.1', 0));
    expect(events.at(-1)?.candidates).toEqual([]);
    rules.overriddenRanges.read.set(rangeOf('192.0.2.1'), {
      id: 'o',
      limit: 9,
      windowSeconds: 60,
      expiresAt: START + 500,
      isRange: false,
    });
    expect(await last()).toBe(0);
    state.now = START + 500;
    expect(await last()).toBe(1);
    rules.allowedRanges.set(rangeOf('192.0.2.0/24'), { id: 'a', expiresAt: START + 700 });
    expect(await last()).toBe(0);
    state.now = START + 999;
    expect(await last()).toBe(1);
    state.now = START + 1_000;
    expect(await last()).toBe(0);
  });

  it('has keys of its own, of at most 128 bytes', () => {
    const stored = { id: 'czzzzzz', place: 'classes.sensitive.user', limit: 1, window_seconds: 2_678_400 };
    const more = { reason: 'r', ends_at: null, created_at: '2026-11-20T12:00:00.000Z', created_by: 'ann' };
    const { candidates } = readCandidates([{ ...stored, ...more }]);
    const { rules, facts } = setUp(1, 1);
    rules.candidates = candidates;
    const planned = plan(rules, { ...facts('192.0.2.1', 1, 'u'.repeat(96)), class: 'sensitive' }, START);
    const [key = ''] = planned.trials.map(({ meters }) => meters[0]?.key ?? '');
    expect(key).toMatch(/^user\|u{96}\|sensitive\|czzzzzz\|2678400$/);
    expect(Buffer.byteLength(key)).toBeLessThanOrEqual(128);
    expect(readCandidates([])).toEqual({ candidates: null });
  });
});

/** Limits by class and subject that a request counts under, kept one by one: with one list of route rules. */
class World {
  readonly #judges = new Map<string, Judge>();
  constructor(private readonly limits: Record<string, number>) {}

  /** The counter of an address in a class, or of a user. */
  judge(kind: 'ip' | 'user', name: string, caller: string): Judge {
    const key = `${kind} ${name} ${caller}`;
    const judge = this.#judges.get(key) ?? new Judge(this.limits[`${name} ${kind}`] ?? 0, 60);
    this.#judges.set(key, judge);
    return judge;
  }

  decide(now: number, name: string, { address, user }: { address: string; user?: string | undefined }, cost: number) {
    const judges = [this.judge('ip', name, address)];
    if (user !== undefined) judges.push(this.judge('user', name, user));
    const fits = judges.every((judge) => judge.fits(now, cost));
    if (fits) for (const judge of judges) judge.add(now, cost);
    return fits;
  }
}

describe('candidate route rules', () => {
  const PATHS = ['/api/orders', '/api/reports', '/api/exports'] as const;
  const routed = fc.array(
    fc.record({
      gap: fc.constantFrom(0, 0, 0, 999, 1_000, 7_000, 31_000, 62_000),
      path: fc.constantFrom(...PATHS),
      address: fc.constantFrom('192.0.2.1', '192.0.2.2'),
      user: fc.constantFrom(undefined, undefined, 'ann'),
    }),
    { minLength: 1, maxLength: 80 },
  );
  const choice = fc.record({ class: fc.constantFrom('read', 'sensitive', 'write'), cost: fc.constantFrom(1, 2, 3) });
  const lists = fc.tuple(
    fc.record({ orders: choice, reports: choice }),
    fc.record({ orders: choice, exports: choice }),
  );
  const rulesOf = (chosen: Partial<Record<string, { class: string; cost: number }>>) =>
    Object.entries(chosen).map(([name, rule]) => ({ method: '*', path: `/api/${name}`, ...rule }));
  const asked = (chosen: Partial<Record<string, { class: string; cost: number }>>, path: string) =>
    chosen[path.slice('/api/'.length)] ?? { class: 'read', cost: 1 };

  it('decide exactly as rules that are alone, and change no decision', async () => {
    const limit = fc.integer({ min: 0, max: 12 });
    const limits = fc.record({ read: limit, sensitive: limit, write: limit, user: limit });
    await fc.assert(
      fc.asyncProperty(routed, lists, limits, async (history, [live, tried], most) => {
        const policies = (['read', 'sensitive', 'write'] as const).map((name) => {
          const own = { limit: most[name], window_seconds: 60 };
          return [name, { ip: own, user: { limit: most.user, window_seconds: 60 } }] as const;
        });
        const [{ state, rules, engine, events }, alone] = [setUp(1, 1), setUp(1, 1)];
        for (const one of [rules, alone.rules]) {
          one.policies = mergePatch(one.policies, { classes: Object.fromEntries(policies) });
          one.routeRules = compileRouteRules(rulesOf(live)).rules;
        }
        rules.candidateRules = { id: 'c1', rules: compileRouteRules(rulesOf(tried)).rules, endsAt: null };
        const sums = Object.fromEntries(
          policies.flatMap(([name]) => [
            [`${name} ip`, most[name]],
            [`${name} user`, most.user],
          ]),
        );
        const [present, possible] = [new World(sums), new World(sums)];
        for (const { gap, path, address, user } of history) {
          state.now += gap;
          alone.state.now = state.now;
          const facts = {
            method: 'GET',
            path,
            requestId: null,
            address: parseAddress(address),
            ...(user === undefined ? {} : { userId: user }),
          };
          expect(await engine.decide(facts)).toEqual(await alone.engine.decide(facts));
          const [now, then] = [asked(live, path), asked(tried, path)];
          const fitsNow = present.decide(state.now, now.class, { address, user }, now.cost);
          const fits = possible.decide(state.now, then.class, { address, user }, then.cost);
          const would = fits === fitsNow ? null : fits ? 'allow' : 'refuse';
          expect(events.at(-1)?.candidates).toEqual([{ id: 'c1', identifier: would === null ? null : address, would }]);
        }
      }),
      { numRuns: Number(process.env.SLUICE_TEST_RUNS ?? 1) * 100 },
    );
  });

  it('count what names its class as that class, and nothing of what bypasses or costs nothing', async () => {
    const { rules, engine, events, facts } = setUp(10, 10);
    const { rules: tried } = compileRouteRules([{ method: '*', path: '/api/*', class: 'sensitive', cost: 9 }]);
    rules.candidateRules = { id: 'c1', rules: tried, endsAt: START + 1_000 };
    await engine.decide(facts('192.0.2.1', 1));
    expect(events.at(-1)?.candidates).toEqual([{ id: 'c1', identifier: null, would: null }]);
    await engine.decide(facts('192.0.2.1', 0));
    expect(events.at(-1)?.candidates).toEqual([]);
    rules.allowedRanges.set(rangeOf('192.0.2.0/24'), { id: 'a', expiresAt: null });
    await engine.decide(facts('192.0.2.1', 1));
    expect(events.at(-1)?.candidates).toEqual([]);
    expect(hasCandidates(rules)).toBe(true);
  });

  it('are given back what is given back of the request, as much as they have counted', async () => {
    const { rules, engine, facts } = setUp(100, 100);
    const { rules: tried } = compileRouteRules([{ method: '*', path: '/api/orders', class: 'read', cost: 7 }]);
    rules.candidateRules = { id: 'c1', rules: tried, endsAt: null };
    const { class: _, cost: __, ...request } = facts('192.0.2.1', 1);
    const { charged } = await engine.decide({ ...request, method: 'GET', path: '/api/orders', refundable: true });
    expect(charged?.cost).toBe(1);
    expect(charged?.counters.map(({ key, cost = 1 }) => [key, cost])).toEqual([
      ['ip|192.0.2.1|read|60', 1],
      ['ip|192.0.2.1|read|c1|60', 7],
    ]);
  });

  it('are read as they are stored', () => {
    const more = { reason: 'r', created_at: '2026-11-20T12:00:00.000Z', created_by: 'ann' };
    const rules = [{ method: 'GET', path: '/api/*', class: 'write' }];
    const { candidate } = readCandidateRules({ id: 'c2', rules, ends_at: '2026-11-20T12:00:00.000Z', ...more });
    expect(candidate).toMatchObject({ id: 'c2', endsAt: START });
    expect(candidate?.rules[0]?.matches('GET', '/api/x')).toBe(true);
    expect(readCandidateRules(null)).toEqual({ candidate: null });
  });
});
