import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Check } from '@/client/api';
import { LocalLimiter } from '@/client/local-limiter';
import { fillPolicies, USUAL_POLICIES } from '@/client/policies';
import { DEFAULT_POLICIES } from '@/lib/contract/policies';
import { formatAddressSubject, parseAddress } from '@/lib/limiter/address';
import type { Counter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import { ENDPOINT_CLASSES, type Meter } from '@/lib/limiter/meter';

const meter = (subject: Meter['subject'], key: string, limit: number, seconds: number): Meter => ({
  subject,
  key,
  limit,
  window: { kind: 'sliding', seconds },
});

const START = Date.UTC(2026, 10, 20, 12);

test('the limits are those of a fresh installation, and so are the classes that are closed', () => {
  for (const name of ENDPOINT_CLASSES) {
    const { ip, user, on_store_failure } = DEFAULT_POLICIES.classes[name];
    expect(USUAL_POLICIES.classes[name]).toEqual({ ip, user, on_store_failure });
  }
  expect(USUAL_POLICIES.clients).toEqual(DEFAULT_POLICIES.clients);
});

test('admits half the limit in any window, whatever the times', () => {
  const limit = { limit: 9, window_seconds: 6 };
  const policies = fillPolicies({ classes: { read: { ip: limit, user: limit } } });
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2_500 }), { maxLength: 60 }), (steps) => {
      const limiter = new LocalLimiter(policies);
      let now = START;
      const admitted: number[] = [];
      for (const step of steps) {
        now += step;
        const answer = limiter.decide({ class: 'read', ip: '203.0.113.7' }, now);
        const inWindow = admitted.filter((at) => at >= now - 6_000).length;
        if (answer.allowed) admitted.push(now);
        // Room comes back at most 1/60 of a window late.
        else expect(admitted.filter((at) => at > now - 6_200).length).toBeGreaterThanOrEqual(4);
        if (inWindow >= 4) expect(answer.allowed).toBe(false);
      }
    }),
  );
});

test("decides as the server's engine does at half the limits, even where the clock goes back", () => {
  const read = { ip: { limit: 6, window_seconds: 4 }, user: { limit: 9, window_seconds: 30 } };
  const policies = fillPolicies({ classes: { read } });
  const metersOf = (ip?: string, user?: string): Meter[] => [
    ...(ip === undefined ? [] : [meter('ip', ip, 3, 4)]),
    ...(user === undefined ? [] : [meter('user', user, 4, 30)]),
  ];
  const step = fc.record({
    after: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 3_000 }) }, fc.integer({ min: -6_000, max: 0 })),
    cost: fc.integer({ min: 1, max: 5 }),
    ip: fc.constantFrom('192.0.2.1', '192.0.2.2', undefined),
    user: fc.constantFrom('alice', 'bob', undefined),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const limiter = new LocalLimiter(policies);
      const counters = new Map<string, Counter>();
      let now = START;
      for (const { after, cost, ip, user } of steps) {
        now += after;
        const meters = metersOf(ip, user);
        const { verdicts, changed } = evaluateGroup([{ meters, cost }], now, counters);
        for (const { key, counter } of changed) counters.set(key, counter);
        const { admitted = true, readings = [] } = verdicts[0] ?? {};
        const counted = readings.filter(({ retryAt }) => admitted || retryAt !== null);
        const [tightest] = counted.toSorted((a, b) => a.remaining - b.remaining);
        const waits = readings.map(({ retryAt }) => Math.ceil(((retryAt ?? now) - now) / 1000));
        const isPayable = Number.isFinite(Math.max(...waits));
        expect(limiter.decide({ class: 'read', cost, ...(ip && { ip }), ...(user && { user_id: user }) }, now)).toEqual(
          {
            allowed: admitted,
            status: 'unreachable',
            class: 'read',
            limit: tightest?.limit ?? null,
            remaining: tightest?.remaining ?? null,
            reset: tightest === undefined ? null : Math.ceil(tightest.reset / 1000),
            ...(!admitted && {
              error: readings[0]?.retryAt !== null && ip ? 'rate_limit_exceeded' : 'user_rate_limit_exceeded',
              error_description: expect.any(String),
              ...(isPayable && { retry_after: Math.max(1, ...waits) }),
            }),
          },
        );
      }
    }),
  );
});

test('waiting for retry_after is enough', () => {
  const limiter = new LocalLimiter(USUAL_POLICIES);
  const check: Check = { class: 'auth', ip: '203.0.113.7' };
  for (let i = 0; i < 5; i++) expect(limiter.decide(check, START + i * 700).allowed).toBe(true);
  const refused = limiter.decide(check, START + 4_000);
  expect(refused).toMatchObject({ allowed: false, error: 'rate_limit_exceeded', limit: 5, remaining: 0 });
  const wait = (refused.retry_after ?? 0) * 1000;
  expect(limiter.decide(check, START + 4_000 + wait - 1_100).allowed).toBe(false);
  expect(limiter.decide(check, START + 4_000 + wait).allowed).toBe(true);
});

test('a refused check consumes nothing of the other subjects', () => {
  const limiter = new LocalLimiter(USUAL_POLICIES);
  for (let i = 0; i < 30; i++) limiter.decide({ class: 'auth', ip: '203.0.113.7', user_id: 'alice' }, START);
  expect(limiter.decide({ class: 'auth', user_id: 'alice' }, START).remaining).toBe(25 - 5 - 1);
});

test('refuses in the order address, client, user', () => {
  const zero = { limit: 0, window_seconds: 60 };
  const none = { ip: zero, user: zero };
  const policies = fillPolicies({ classes: { read: none }, clients: { public: zero, confidential: zero } });
  const limiter = new LocalLimiter(policies);
  const errors = [{ ip: '::1', api_key: 'k', user_id: 'u' }, { client_id: 'c', user_id: 'u' }, { user_id: 'u' }].map(
    (check) => limiter.decide({ class: 'read', ...check }, START).error,
  );
  expect(errors).toEqual(['rate_limit_exceeded', 'client_rate_limit_exceeded', 'user_rate_limit_exceeded']);
});

test('a cost above the limit is refused without a time to wait', () => {
  const answer = new LocalLimiter(USUAL_POLICIES).decide({ class: 'read', ip: '::1', cost: 51 }, START);
  expect(answer).toMatchObject({ allowed: false, error_description: 'The request costs 51, the limit is 50.' });
  expect(answer).not.toHaveProperty('retry_after');
});

test('what the server could not read is decided all the same', () => {
  const limiter = new LocalLimiter(USUAL_POLICIES);
  for (const cost of [0, -1, 1.5, Number.NaN]) {
    expect(limiter.decide({ class: 'read', ip: 'nonsense', cost }, START).allowed).toBe(true);
  }
  expect(limiter.decide({}, START).allowed).toBe(true);
});

test('forgets who was counted longest ago', () => {
  const limiter = new LocalLimiter(USUAL_POLICIES, 2);
  const ask = (ip: string) => limiter.decide({ class: 'auth', ip }, START).remaining;
  expect(['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.3', '192.0.2.1', '192.0.2.2'].map(ask)).toEqual([
    4, 4, 3, 4, 2, 4,
  ]);
});

describe('an address', () => {
  const isCountedAs = (one: string, other: string) => {
    const limiter = new LocalLimiter(USUAL_POLICIES);
    const ask = (ip: string) => limiter.decide({ class: 'auth', ip }, START).remaining;
    return [ask(one), ask(other)].join() === '4,3';
  };

  test('is counted as the server counts it', () => {
    const text = fc.oneof(
      fc.ipV6(),
      fc.ipV4(),
      fc.ipV4().map((address) => `64:ff9b::${address}`),
    );
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [a, b] = [parseAddress(one), parseAddress(other)];
        fc.pre(a !== null && b !== null);
        expect(isCountedAs(one, other)).toBe(formatAddressSubject(a) === formatAddressSubject(b));
        expect(isCountedAs(one, `[${a.text}]:4711`)).toBe(true);
      }),
    );
  });
});
