import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_POLICIES, mergePatch, type PoliciesPatch } from '@/lib/contract/policies';
import { Breaker } from '@/lib/counters/breaker';
import { MemoryCounters } from '@/lib/counters/memory/store';
import { type Commit, StoreUnavailable } from '@/lib/counters/store';
import type { Decision } from '@/lib/enforcement/decision';
import { Engine, type EngineMetrics } from '@/lib/enforcement/engine';
import { readNamedLimits } from '@/lib/enforcement/named-limits';
import type { Facts } from '@/lib/enforcement/plan';
import { buildQuotaKey } from '@/lib/enforcement/quota-counter';
import { type KeyRecord, Rules } from '@/lib/enforcement/rules';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import { parseAddress } from '@/lib/limiter/address';
import type { Attempt } from '@/lib/limiter/meter';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { expectTightWait } from '../../fixtures/tight-wait';

const START = Date.UTC(2026, 10, 20, 12);
const KEY: KeyRecord = {
  id: '3f1c2a8e-0d4b-4c6e-9a53-6f0f6f1f0a11',
  name: 'key',
  tier: 'free',
  clientType: 'confidential',
  userId: null,
  overageAllowed: false,
  monthStartsOn: 1,
  monthShift: 0,
  secretHash: 'hash',
  previousSecretHash: null,
  previousSecretUntil: null,
  expiresAt: null,
};

let now = START;
let monotonic = 0;
/** How far the clock of the store is ahead of ours. */
let skew = 0;
let broken = false;
let events: DecisionEvent[] = [];
let storeFailures: unknown[] = [];
/** The answers that the store still gives instead of deciding. */
let answers: (Commit | 'break' | Promise<Commit>)[] = [];

/** The store of every process, in memory. */
class SharedStore extends MemoryCounters {
  readonly asked: { revision: number; attempts: readonly Attempt[] }[] = [];

  constructor() {
    super({ clock: () => now + skew });
  }

  override async commit(revision: number, attempts: readonly Attempt[]): Promise<Commit> {
    this.asked.push({ revision, attempts });
    const answer = await answers.shift();
    if (broken || answer === 'break') throw new StoreUnavailable('down');
    return answer ?? super.commit(revision, attempts);
  }

  async usedOf(key: string): Promise<number | undefined> {
    const [state] = await this.read([{ key, window: { kind: 'month' } }]);
    return state?.used;
  }
}

interface Setup {
  policies?: PoliciesPatch;
  refresh?: (rules: Rules) => void;
  fresh?: (rules: Rules) => void;
  refreshRules?: () => Promise<void>;
  metrics?: EngineMetrics;
  depth?: number;
}

function setUp({ policies = {}, refresh, fresh, refreshRules, metrics, depth = 1 }: Setup = {}) {
  const rules = new Rules(mergePatch(DEFAULT_POLICIES, policies));
  rules.revision = 1;
  const read = { fresh: 0, refresh: 0 };
  const cache = {
    current: rules,
    refresh: async () => {
      read.refresh += 1;
      refresh?.(rules);
      return rules;
    },
    readFresh: async () => {
      read.fresh += 1;
      fresh?.(rules);
      return rules;
    },
  };
  const store = new SharedStore();
  const engine = new Engine({
    store,
    local: new MemoryCounters({ clock: () => now }),
    breaker: new Breaker({ monotonic: () => monotonic, failures: 100 }),
    rules: cache as unknown as RulesCache,
    clock: () => now,
    record: (event) => events.push(event),
    groups: { depth },
    onStoreFailure: (error) => storeFailures.push(error),
    ...(refreshRules === undefined ? {} : { refreshRules }),
    ...(metrics === undefined ? {} : { metrics }),
  });
  return { engine, store, rules, read };
}

const request = (more: Partial<Facts> = {}): Facts => ({
  method: 'GET',
  path: '/api/data',
  address: parseAddress('203.0.113.9'),
  requestId: 'request-1',
  ...more,
});
/** An answer of the store that is still to come. */
function deferred() {
  let resolve: (commit: Commit) => void = () => undefined;
  const promise = new Promise<Commit>((done) => {
    resolve = done;
  });
  return { promise, resolve: (commit: Commit) => resolve(commit) };
}

const outcomes = (decisions: readonly Decision[]) => decisions.map(({ outcome }) => outcome);

beforeEach(() => {
  now = START;
  monotonic = 0;
  skew = 0;
  broken = false;
  events = [];
  storeFailures = [];
  answers = [];
});

describe('the clock of the store', () => {
  it('is taken to be ours until it has answered', async () => {
    const { engine, rules } = setUp();
    rules.allowedUsers.set('alice', { id: 'entry', expiresAt: START + 1 });
    expect((await engine.decide(request({ userId: 'alice' }))).outcome).toBe('bypassed');
  });

  it('decides what has expired, as soon as it has answered once', async () => {
    const { engine, rules } = setUp();
    // Ours is a minute behind: by it the entry would go on to let everything pass.
    skew = 60_000;
    rules.allowedUsers.set('alice', { id: 'entry', expiresAt: START + 30_000 });
    expect((await engine.decide(request({ userId: 'alice' }))).outcome).toBe('bypassed');
    expect((await engine.decide(request({ userId: 'alice' }))).outcome).toBe('allowed');
    skew = 0;
    await engine.decide(request());
    expect((await engine.decide(request({ userId: 'alice' }))).outcome).toBe('bypassed');
  });

  it('is the time of a decision', async () => {
    const { engine } = setUp();
    skew = 7_000;
    const decision = await engine.decide(request());
    expect(decision.at).toBe(START + 7_000);
    expect(decision.tightest?.resetAfter).toBeLessThanOrEqual(61);
    expect(events).toMatchObject([{ at: START + 7_000 }]);
  });
});

describe('rules that have changed', () => {
  it('are read, and the same requests are planned again', async () => {
    const { engine, store, read } = setUp({
      refresh: (rules) => {
        rules.revision = 2;
        rules.policies = mergePatch(rules.policies, { classes: { read: { ip: { limit: 1 } } } });
      },
    });
    answers = [{ kind: 'stale', revision: 2 }];
    expect(outcomes(await engine.decideAll([request(), request()]))).toEqual(['allowed', 'refused']);
    expect(read).toEqual({ fresh: 0, refresh: 1 });
    expect(store.asked.map(({ revision }) => revision)).toEqual([1, 2]);
    expect(events).toHaveLength(2);
  });

  it('faster than they can be read close the store for this group', async () => {
    const { engine, store } = setUp();
    answers = Array.from({ length: 100 }, () => ({ kind: 'stale', revision: 2 }) as const);
    expect((await engine.decide(request())).outcome).toBe('degraded');
    expect(store.asked).toHaveLength(20);
    expect(storeFailures).toHaveLength(1);
  });

  it('that cannot be read are as bad as a store that is down', async () => {
    const { engine } = setUp({
      refresh: () => {
        throw new Error('no database');
      },
    });
    answers = [{ kind: 'stale', revision: 2 }];
    const decision = await engine.decide(request());
    expect(decision).toMatchObject({ outcome: 'degraded', degraded: true });
    expect(storeFailures).toMatchObject([{ name: 'StoreUnavailable', cause: { message: 'no database' } }]);
  });

  it('do not hide a fault of the engine itself', async () => {
    const { engine } = setUp();
    answers = [{ kind: 'decided', now, verdicts: [], settled: [] }];
    await expect(engine.decide(request())).rejects.toThrow('left a verdict out');
    expect(storeFailures).toEqual([]);
  });
});

describe('the throttle of an instance', () => {
  const two = { global: { limit: 2, window_seconds: 60 } };

  it('refuses in the place of the request that was one too many', async () => {
    const { engine } = setUp({ policies: two });
    const decisions = await Promise.all([
      engine.admit(request()),
      engine.decide(request({ userId: 'asked-for' })),
      engine.admit(request()),
      engine.admit(request({ userId: 'too-many' })),
      engine.decide(request()),
    ]);
    expect(outcomes(decisions)).toEqual(['allowed', 'allowed', 'allowed', 'refused', 'allowed']);
    expect(decisions[3]?.refusal).toMatchObject({ error: 'service_unavailable', violated: [] });
    expect(decisions[1]?.limits).toHaveLength(2);
    const refusal = events.find(({ outcome }) => outcome === 'refused');
    expect(refusal).toMatchObject({ subjectType: 'global', identifier: null, userId: 'too-many', at: START });
  });

  it('tells when the next one fits', async () => {
    const { engine } = setUp({ policies: two });
    await expectTightWait(
      () => engine.admit(request()),
      (milliseconds) => {
        now += milliseconds;
      },
    );
  });

  it('of 0 tells the length of its window', async () => {
    const { engine } = setUp({ policies: { global: { limit: 0, window_seconds: 30 } } });
    expect((await engine.admit(request())).refusal?.retryAfter).toBe(30);
    expect(storeFailures).toEqual([]);
  });

  it('does not count what somebody else serves, alone, in a batch or beside the rest', async () => {
    const { engine } = setUp({ policies: { global: { limit: 0 } } });
    expect((await engine.decide(request())).outcome).toBe('allowed');
    expect(outcomes(await engine.decideAll([request(), request()]))).toEqual(['allowed', 'allowed']);
  });

  it('follows a change of the rules though it refuses everything and nobody asks the store', async () => {
    const { engine, store, read } = setUp({
      policies: { global: { limit: 0 } },
      fresh: (rules) => {
        rules.revision = 2;
        rules.policies = DEFAULT_POLICIES;
      },
    });
    expect((await engine.admit(request())).outcome).toBe('allowed');
    expect(read).toEqual({ fresh: 1, refresh: 0 });
    expect(store.asked).toHaveLength(1);
  });

  it('counts a request once, though it was planned again', async () => {
    const { engine } = setUp({
      policies: { global: { limit: 3, window_seconds: 60 } },
      refresh: (rules) => {
        rules.revision += 1;
      },
    });
    answers = [
      { kind: 'stale', revision: 2 },
      { kind: 'stale', revision: 3 },
    ];
    const first = await Promise.all([
      engine.admit(request()),
      engine.decide(request()),
      engine.decide(request()),
      engine.admit(request()),
    ]);
    expect(outcomes(first)).toEqual(['allowed', 'allowed', 'allowed', 'allowed']);
    expect(outcomes(await Promise.all([engine.admit(request()), engine.admit(request())]))).toEqual([
      'allowed',
      'refused',
    ]);
  });

  it('counts a request once, though the store was down', async () => {
    const { engine } = setUp({ policies: two });
    broken = true;
    const first = await Promise.all([engine.admit(request()), engine.admit(request()), engine.admit(request())]);
    expect(outcomes(first)).toEqual(['degraded', 'degraded', 'refused']);
    broken = false;
    expect((await engine.admit(request())).refusal?.error).toBe('service_unavailable');
  });
});

describe('without the store', () => {
  const limited = (limit: number, more: PoliciesPatch = {}) => ({ ...more, classes: { read: { ip: { limit } } } });

  it.each([
    [100, 50],
    [5, 2],
    [3, 1],
    [2, 1],
    [1, 1],
    [0, 0],
  ])('of %i requests of a window %i are admitted', async (limit, admitted) => {
    const { engine } = setUp({ policies: limited(limit) });
    broken = true;
    const decisions = await engine.decideAll(Array.from({ length: limit + 1 }, () => request()));
    expect(decisions.filter(({ outcome }) => outcome === 'degraded')).toHaveLength(admitted);
    expect(decisions[0]?.tightest?.limit).toBe(admitted);
    expect(decisions.every(({ degraded }) => degraded)).toBe(true);
  });

  it('a class that is closed is refused until the store is tried again, and recorded', async () => {
    const { engine } = setUp();
    broken = true;
    const decision = await engine.decide(request({ class: 'auth' }));
    expect(decision).toMatchObject({
      outcome: 'refused',
      class: 'auth',
      refusal: { error: 'service_unavailable', retryAfter: 1 },
    });
    expect(events).toMatchObject([{ outcome: 'refused', reason: 'service_unavailable', subjectType: null }]);
  });

  it('tells how long the breaker stays open', async () => {
    const cache = new Rules(DEFAULT_POLICIES);
    const engine = new Engine({
      store: new SharedStore(),
      local: new MemoryCounters({ clock: () => now }),
      breaker: new Breaker({ monotonic: () => monotonic, failures: 1 }),
      rules: { current: cache } as unknown as RulesCache,
      clock: () => now,
      record: () => undefined,
      groups: {},
      onStoreFailure: () => undefined,
    });
    broken = true;
    expect((await engine.decide(request({ class: 'auth' }))).refusal?.retryAfter).toBe(10);
    monotonic += 7_500;
    expect((await engine.decide(request({ class: 'auth' }))).refusal?.retryAfter).toBe(3);
  });

  it('the rules are read before anything is decided', async () => {
    const { engine, rules } = setUp({
      refreshRules: async () => {
        rules.allowedUsers.set('alice', { id: 'entry', expiresAt: null });
      },
    });
    broken = true;
    expect((await engine.decide(request({ userId: 'alice' }))).outcome).toBe('bypassed');
  });

  it('names the identifier of each of the subjects, the quota left out', async () => {
    const { engine, rules } = setUp({ policies: { clients: { confidential: { limit: 2 } } } });
    rules.setKey(KEY);
    broken = true;
    const [, second] = await engine.decideAll([request({ apiKeyId: KEY.id }), request({ apiKeyId: KEY.id })]);
    expect(second).toMatchObject({ outcome: 'refused', quota: null });
    expect(events[1]).toMatchObject({ subjectType: 'client', identifier: KEY.id, apiKeyId: KEY.id });
  });
});

describe('the quota of what was served without the store', () => {
  const owing = (limit: number, policies: PoliciesPatch = {}) => {
    const made = setUp({ policies: { ...policies, tiers: { free: limit } } });
    made.rules.setKey(KEY);
    return made;
  };
  const byKey = request({ apiKeyId: KEY.id });

  it('is counted when it is back, at the cost of each request', async () => {
    const { engine, store } = owing(1000);
    broken = true;
    await engine.decideAll([byKey, { ...byKey, cost: 5 }]);
    broken = false;
    expect((await engine.decide(byKey)).quota).toMatchObject({ remaining: 993 });
    expect(await store.usedOf(buildQuotaKey(KEY.id))).toBe(7);
    // Once: nothing of it is owed any more.
    expect((await engine.decide(byKey)).quota).toMatchObject({ remaining: 992 });
    expect(store.asked.at(-1)?.attempts).toHaveLength(1);
  });

  it('is not owed for requests that were refused', async () => {
    const { engine, store } = owing(1000, { classes: { read: { ip: { limit: 4 } } } });
    broken = true;
    expect(outcomes(await engine.decideAll(Array.from({ length: 5 }, () => byKey)))).toEqual([
      'degraded',
      'degraded',
      'refused',
      'refused',
      'refused',
    ]);
    broken = false;
    await engine.decide(byKey);
    expect(await store.usedOf(buildQuotaKey(KEY.id))).toBe(3);
  });

  it('is counted beyond the limit, and refuses what comes then', async () => {
    const { engine, store } = owing(3);
    broken = true;
    await engine.decideAll(Array.from({ length: 5 }, () => byKey));
    broken = false;
    expect((await engine.decide(byKey)).refusal?.error).toBe('quota_exceeded');
    expect(await store.usedOf(buildQuotaKey(KEY.id))).toBe(5);
  });

  it('stays owed while the rules are read and while the store fails again', async () => {
    const { engine, store } = owing(1000);
    broken = true;
    await engine.decideAll([byKey, byKey]);
    broken = false;
    answers = ['break'];
    await engine.decide(byKey);
    answers = [{ kind: 'stale', revision: 1 }];
    await engine.decide(request());
    expect(await store.usedOf(buildQuotaKey(KEY.id))).toBe(3);
  });

  it('is added to what came to be owed while it was being counted', async () => {
    const overlapping = setUp({ depth: 2 });
    overlapping.rules.setKey(KEY);
    broken = true;
    await overlapping.engine.decideAll([byKey, byKey]);
    broken = false;
    const later = deferred();
    answers = [later.promise, 'break'];
    const first = overlapping.engine.decide(request());
    await new Promise((resolve) => setImmediate(resolve));
    // Served without the store while the two of before are on their way to it.
    expect((await overlapping.engine.decide({ ...byKey, cost: 4 })).outcome).toBe('degraded');
    later.resolve({ kind: 'stale', revision: 1 });
    await first;
    await overlapping.engine.decide(request());
    expect(await overlapping.store.usedOf(buildQuotaKey(KEY.id))).toBe(6);
  });

  it('is not owed by requests without a key', async () => {
    const { engine, store } = owing(1000);
    broken = true;
    await engine.decide(request());
    broken = false;
    await engine.decide(request());
    expect(store.asked.at(-1)?.attempts).toHaveLength(1);
  });
});

describe('what is told of a decision', () => {
  it('is recorded once for each, with the subject that decided it', async () => {
    const { engine, rules } = setUp({ policies: { classes: { read: { user: { limit: 1 } } } } });
    rules.overriddenUsers.set('read|alice', {
      id: 'own',
      limit: 1,
      windowSeconds: 60,
      expiresAt: null,
      isRange: false,
    });
    rules.allowedUsers.set('bob', { id: 'entry', expiresAt: null });
    await engine.decideAll([
      request({ userId: 'alice', cost: 1 }),
      request({ userId: 'alice', method: 'HEAD' }),
      request({ userId: 'bob', address: undefined }),
      request({ apiKey: 'unknown', address: null }),
    ]);
    const common = { at: START, class: 'read', path: '/api/data', apiKeyId: null, requestId: 'request-1', cost: 1 };
    const unlimited = { limitName: null, limitUses: [], isReserved: false, usedShares: expect.anything() };
    const unmeasured = { refusedBy: null, retryAfter: null, source: null, sourceId: null };
    expect(events).toEqual([
      {
        ...common,
        ...unmeasured,
        outcome: 'allowed',
        reason: null,
        subjectType: null,
        identifier: null,
        method: 'GET',
        ip: '203.0.113.9',
        userId: 'alice',
        overrideIds: ['own'],
        rangeUse: null,
        candidates: [],
        ...unlimited,
      },
      {
        ...common,
        outcome: 'refused',
        reason: 'user_rate_limit_exceeded',
        subjectType: 'user',
        identifier: 'alice',
        method: 'HEAD',
        ip: '203.0.113.9',
        userId: 'alice',
        overrideIds: ['own'],
        rangeUse: null,
        candidates: [],
        ...unlimited,
        refusedBy: expect.objectContaining({ limit: 1, window: 60, used: 1, reset: START / 1000 + 61 }),
        retryAfter: 61,
        source: 'override',
        sourceId: 'own',
      },
      {
        ...common,
        ...unmeasured,
        source: 'allowlist',
        sourceId: 'entry',
        outcome: 'bypassed',
        reason: null,
        subjectType: 'user',
        identifier: 'bob',
        method: 'GET',
        ip: null,
        userId: 'bob',
        overrideIds: [],
        rangeUse: null,
        candidates: [],
        ...unlimited,
      },
      {
        ...common,
        ...unmeasured,
        outcome: 'refused',
        reason: 'invalid_api_key',
        subjectType: null,
        identifier: null,
        method: 'GET',
        ip: null,
        userId: null,
        overrideIds: [],
        rangeUse: null,
        candidates: [],
        ...unlimited,
      },
    ]);
  });

  it('is measured: how long each waited, how many were in the group, how often the store failed', async () => {
    const seen: (number | 'failed')[][] = [];
    const metrics: EngineMetrics = {
      monotonic: () => monotonic,
      recordDecisions: (seconds) => seen.push([seconds]),
      groupDecided: (size) => seen.push([size]),
      storeCalled: () => undefined,
      storeFailed: () => seen.push(['failed']),
    };
    const { engine } = setUp({ metrics });
    const first = engine.decide(request());
    monotonic += 1_500;
    const second = engine.decide(request());
    monotonic += 500;
    await Promise.all([first, second]);
    expect(seen).toEqual([[2], [2], [0.5]]);
    seen.length = 0;
    broken = true;
    await engine.decideAll([request()]);
    expect(seen).toEqual([['failed'], [1], [0]]);
  });

  it('does not call it a failure of the store when the breaker did not ask', async () => {
    let failed = 0;
    const metrics: EngineMetrics = {
      monotonic: () => monotonic,
      recordDecisions: () => undefined,
      groupDecided: () => undefined,
      storeCalled: () => undefined,
      storeFailed: () => {
        failed += 1;
      },
    };
    const { engine } = setUp({ metrics });
    broken = true;
    for (let index = 0; index < 105; index += 1) await engine.decide(request());
    expect(failed).toBe(100);
    expect(storeFailures).toHaveLength(105);
  });
});

describe('named limits while the store is down', () => {
  const named = (onFailure: 'closed' | 'local') =>
    readNamedLimits([
      {
        ...{
          id: 'l1',
          name: 'sms',
          description: '',
          unit: 'codes',
          tiers: {},
          lease: null,
          on_store_failure: onFailure,
        },
        ...{ windows: [{ limit: 4, seconds: 60 }], in_flight: null, created_at: '', created_by: '' },
      },
    ]).limits;
  const facts = request({ class: null, limits: [{ name: 'sms', subject: 'a', cost: 1 }], settleWithin: 60 });

  it('are refused where they need it', async () => {
    const { engine, rules } = setUp();
    rules.limits = named('closed');
    broken = true;
    expect((await engine.decide(facts)).refusal).toMatchObject({ error: 'service_unavailable' });
  });

  it('are halved where they do not, and cannot be settled', async () => {
    const { engine, rules } = setUp();
    rules.limits = named('local');
    broken = true;
    const decisions = [await engine.decide(facts), await engine.decide(facts), await engine.decide(facts)];
    expect(outcomes(decisions)).toEqual(['degraded', 'degraded', 'refused']);
    expect(decisions[2]?.refusal).toMatchObject({ error: 'rate_limit_exceeded', limitName: 'sms' });
    expect(decisions.every(({ charged }) => charged === undefined)).toBe(true);
  });
});
