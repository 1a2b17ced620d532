import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PoliciesPatch } from '@/lib/contract/policies';
import { Breaker } from '@/lib/counters/breaker';
import { MemoryCounters } from '@/lib/counters/memory/store';
import { type Commit, type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import type { Decision } from '@/lib/enforcement/decision';
import { Engine } from '@/lib/enforcement/engine';
import { buildDecisionHeaders } from '@/lib/enforcement/headers';
import type { Facts } from '@/lib/enforcement/plan';
import { RulesCache } from '@/lib/enforcement/rules-cache';
import { parseAddress } from '@/lib/limiter/address';
import type { Attempt } from '@/lib/limiter/meter';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { type MigratedDatabase, migratedDatabase } from '../../fixtures/migrated-database';
import { expectTightWait } from '../../fixtures/tight-wait';

let file: MigratedDatabase;
let now = Date.UTC(2026, 10, 20, 12);
let monotonic = 0;
let broken = false;
let events: DecisionEvent[] = [];

/** A store in memory that can be down. */
class FragileStore extends MemoryCounters {
  calls = 0;
  override async commit(revision: number, attempts: readonly Attempt[]): Promise<Commit> {
    this.calls += 1;
    if (broken) throw new StoreUnavailable('down');
    return super.commit(revision, attempts);
  }
}

function engineWith(
  policies?: PoliciesPatch,
  refreshRules?: () => Promise<void>,
): { engine: Engine; store: FragileStore; rules: RulesCache } {
  const store = new FragileStore({ clock: () => now });
  const rules = new RulesCache(file.database, pino({ level: 'silent' }), policies);
  const engine = new Engine({
    store: store as unknown as CounterStore,
    local: new MemoryCounters({ clock: () => now }),
    breaker: new Breaker({ monotonic: () => monotonic }),
    rules,
    clock: () => now,
    record: (event) => events.push(event),
    groups: {},
    onStoreFailure: () => undefined,
    ...(refreshRules === undefined ? {} : { refreshRules }),
  });
  return { engine, store, rules };
}

const request = (more: Partial<Facts> = {}): Facts => ({
  method: 'GET',
  path: '/api/data',
  address: parseAddress('203.0.113.9'),
  requestId: null,
  ...more,
});

const many = async (engine: Engine, count: number, more: Partial<Facts> = {}): Promise<Decision[]> =>
  Promise.all(Array.from({ length: count }, () => engine.decide(request(more))));

beforeAll(async () => {
  file = await migratedDatabase();
});
beforeEach(() => {
  now = Date.UTC(2026, 10, 20, 12);
  broken = false;
  events = [];
});
afterAll(() => file[Symbol.dispose]());

describe('a decision', () => {
  it('tells the tightest limit, and the first refusal in the order ip, client, user, quota', async () => {
    const { engine } = engineWith({ classes: { read: { ip: { limit: 5 }, user: { limit: 3 } } } });
    const decisions = await many(engine, 6, { userId: 'alice' });
    expect(decisions.map((decision) => decision.outcome)).toEqual([
      'allowed',
      'allowed',
      'allowed',
      'refused',
      'refused',
      'refused',
    ]);
    expect(decisions[0]?.tightest).toMatchObject({ subject: 'user', limit: 3, remaining: 2 });
    expect(decisions[3]?.refusal).toMatchObject({ error: 'user_rate_limit_exceeded', violated: ['user'] });
    // Refused by the user's limit, so the address has two left.
    expect((await many(engine, 3)).map((decision) => decision.outcome)).toEqual(['allowed', 'allowed', 'refused']);
    expect((await engine.decide(request({ userId: 'alice' }))).refusal).toMatchObject({
      error: 'rate_limit_exceeded',
      violated: ['ip', 'user'],
    });
  });

  it('is the same with a receiver in place of a promise', async () => {
    const { engine } = engineWith({ classes: { read: { ip: { limit: 2 } } } });
    const told: unknown[] = [];
    const receiver = {
      resolve: ({ outcome, tightest }: Decision) => told.push([outcome, tightest?.used]),
      reject: (error: unknown) => told.push(error),
    };
    engine.decideTo(request(), receiver);
    const promised = engine.decide(request());
    engine.decideTo(request(), receiver);
    expect(await promised).toMatchObject({ outcome: 'allowed', tightest: { used: 2 } });
    expect(told).toEqual([
      ['allowed', 1],
      ['refused', 2],
    ]);
  });

  it('tells a wait that is enough for one request and not too long', async () => {
    const { engine } = engineWith({ classes: { read: { ip: { limit: 2, window_seconds: 60 } } } });
    await expectTightWait(
      () => engine.decide(request()),
      (milliseconds) => {
        now += milliseconds;
      },
    );
  });

  it('counts requests whose address nobody attests together', async () => {
    const { engine } = engineWith({ classes: { read: { ip: { limit: 2 } } } });
    const decisions = await many(engine, 3, { address: null });
    expect(decisions.map((decision) => decision.outcome)).toEqual(['allowed', 'allowed', 'refused']);
    expect(events.at(-1)).toMatchObject({ outcome: 'refused', subjectType: 'ip', identifier: 'unknown' });
  });

  it('of a cost above the limit is refused with both numbers and without a time to wait', async () => {
    const { engine } = engineWith({ classes: { read: { ip: { limit: 2, window_seconds: 30 } } } });
    expect((await engine.decide(request({ cost: 3 }))).refusal).toMatchObject({
      error: 'rate_limit_exceeded',
      description: 'The request costs 3, the limit of this address is 2.',
      retryAfter: null,
    });
  });
});

describe('the throttle of the instance', () => {
  it('refuses with 503 beyond its limit, and does not count calls of the decision API', async () => {
    const { engine } = engineWith({ global: { limit: 3, window_seconds: 1 } });
    await many(engine, 10);
    const decisions = await Promise.all(Array.from({ length: 5 }, () => engine.admit(request())));
    expect(decisions.map((decision) => decision.refusal?.error ?? 'none')).toEqual([
      'none',
      'none',
      'none',
      'service_unavailable',
      'service_unavailable',
    ]);
    expect(decisions[4]?.refusal?.retryAfter).toBeGreaterThanOrEqual(1);
    now += 1100;
    expect((await engine.admit(request())).refusal).toBeNull();
  });
});

describe('without its store', () => {
  it('reads and writes are served at half the limit, auth and sensitive are closed, nobody gets 429 for it', async () => {
    const { engine } = engineWith();
    broken = true;
    const reads = await many(engine, 60);
    expect(reads.filter((decision) => decision.outcome === 'degraded')).toHaveLength(50);
    expect(buildDecisionHeaders(reads[0]!, false)['X-RateLimit-Status']).toBe('degraded');
    expect(reads[0]?.tightest?.limit).toBe(50);
    for (const endpointClass of ['auth', 'sensitive'] as const) {
      const closed = await engine.decide(request({ class: endpointClass, address: parseAddress('203.0.113.77') }));
      expect(closed.refusal).toMatchObject({ error: 'service_unavailable' });
      expect(closed.refusal?.retryAfter).toBeGreaterThanOrEqual(1);
    }
  });

  it('the breaker stops asking after 5 failures, tries after 10 s and closes after 3 answers', async () => {
    const { engine, store } = engineWith();
    broken = true;
    for (let index = 0; index < 8; index += 1) await engine.decide(request({ class: 'auth' }));
    expect(store.calls).toBe(5);
    monotonic += 10_001;
    await engine.decide(request({ class: 'auth' }));
    expect(store.calls).toBe(6);
    broken = false;
    expect((await engine.decide(request())).outcome).toBe('degraded');
    monotonic += 10_001;
    for (let index = 0; index < 3; index += 1) expect((await engine.decide(request())).outcome).toBe('allowed');
    expect(store.calls).toBe(9);
  });

  it('a change of the rules still counts at once where they are kept apart', async () => {
    let read = 0;
    const { engine } = engineWith(undefined, async () => {
      read += 1;
    });
    broken = true;
    await engine.decide(request());
    await engine.decide(request());
    expect(read).toBe(2);
    broken = false;
    monotonic += 10_001;
    await engine.decide(request());
    expect(read).toBe(2);
  });

  it('what keys consumed meanwhile is added to their quotas when it is back', async () => {
    const { engine, store, rules } = engineWith();
    rules.current.setKey({
      id: '3f1c2a8e-0d4b-4c6e-9a53-6f0f6f1f0a11',
      name: 'k',
      tier: 'free',
      clientType: 'confidential',
      userId: null,
      overageAllowed: false,
      monthStartsOn: 1,
      monthShift: 0,
      secretHash: 'h',
      previousSecretHash: null,
      previousSecretUntil: null,
      expiresAt: null,
    });
    const key = { apiKeyId: '3f1c2a8e-0d4b-4c6e-9a53-6f0f6f1f0a11' };
    await engine.decide(request(key));
    broken = true;
    const degraded = await many(engine, 4, key);
    expect(degraded.every((decision) => decision.outcome === 'degraded' && decision.quota === null)).toBe(true);
    broken = false;
    expect((await engine.decide(request(key))).quota).toMatchObject({ limit: 1000, remaining: 994 });
    expect(store.calls).toBeGreaterThan(2);
  });
});
