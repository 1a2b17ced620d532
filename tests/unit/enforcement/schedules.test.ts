import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { changeTier } from '@/lib/admin/keys/change-tier';
import { createApiKey } from '@/lib/admin/keys/create';
import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import type { Decision } from '@/lib/enforcement/decision';
import { buildDecisionHeaders } from '@/lib/enforcement/headers';
import type { Facts } from '@/lib/enforcement/plan';
import { parseAddress } from '@/lib/limiter/address';
import { call } from '@/tests/fixtures/call';
import { runs } from '@/tests/fixtures/runs';
import { type TestServices, testServices } from '@/tests/fixtures/services';

const SECOND = 1_000;
const LIMITS = { ip: { limit: 5, seconds: 60 }, client: { limit: 7, seconds: 60 }, user: { limit: 6, seconds: 120 } };
const TIERS = { free: 9, starter: 14, business: 1_000, enterprise: 2_000 };
const CODES = {
  ip: 'rate_limit_exceeded',
  client: 'client_rate_limit_exceeded',
  user: 'user_rate_limit_exceeded',
  quota: 'quota_exceeded',
} as const;
type Subject = keyof typeof CODES;

let here: TestServices;
beforeAll(async () => {
  const limit = ({ limit, seconds }: { limit: number; seconds: number }) => ({ limit, window_seconds: seconds });
  const policies = {
    classes: { read: { ip: limit(LIMITS.ip), user: limit(LIMITS.user) } },
    clients: { public: limit(LIMITS.client) },
    tiers: TIERS,
  };
  here = await testServices({ SLUICE_POLICIES: JSON.stringify(policies) });
});
afterAll(() => here[Symbol.dispose]());

/**
 * What is promised, written down a second time and as plainly as possible: every admission with its moment, and sums
 * over them. An admission counts for 61 slots of a sixtieth of the window, or for its calendar month.
 */
class Promised {
  readonly #admitted = new Map<string, { at: number; cost: number }[]>();
  tier: keyof typeof TIERS = 'free';
  allowedUntil = 0;

  /** Whether it is admitted, and if not, who refuses. */
  decide(facts: { ip: string; user: string | null; key: string | null; cost: number }, now: number): Subject[] {
    const { ip, user, key, cost } = facts;
    const bypassed = this.allowedUntil > now;
    const asked: [Subject, string, number, number | null][] = [];
    if (!bypassed) asked.push(['ip', ip, LIMITS.ip.limit, LIMITS.ip.seconds]);
    if (!bypassed && key !== null) asked.push(['client', key, LIMITS.client.limit, LIMITS.client.seconds]);
    if (!bypassed && user !== null) asked.push(['user', user, LIMITS.user.limit, LIMITS.user.seconds]);
    if (key !== null) asked.push(['quota', `quota ${key}`, TIERS[this.tier], null]);
    const refusing = asked.filter(([, name, limit, seconds]) => this.used(name, seconds, now) + cost > limit);
    if (refusing.length === 0) for (const [, name] of asked) this.#of(name).push({ at: now, cost });
    return refusing.map(([subject]) => subject);
  }

  used(name: string, seconds: number | null, now: number): number {
    const slot = (at: number) => Math.floor((at * 60) / ((seconds ?? 1) * SECOND));
    const month = (at: number) => new Date(at).toISOString().slice(0, 7);
    const counts = (at: number) => (seconds === null ? month(at) === month(now) : slot(at) >= slot(now) - 60);
    return this.#of(name).reduce((sum, { at, cost }) => sum + (counts(at) ? cost : 0), 0);
  }

  forget(name: string): void {
    this.#admitted.delete(name);
  }

  #of(name: string) {
    const events = this.#admitted.get(name) ?? [];
    this.#admitted.set(name, events);
    return events;
  }
}

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      calls: fc.array(
        fc.record({
          user: fc.boolean(),
          key: fc.boolean(),
          cost: fc.constantFrom(1, 1, 1, 1, 2, 3),
        }),
        { minLength: 1, maxLength: 12 },
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      // Edges of slots and windows, a millisecond to either side of them, anything between, and months.
      milliseconds: fc
        .tuple(
          fc.oneof(fc.constantFrom(0, 1_000, 59_000, 60_000, 61_000, 120_000, 122_000), fc.nat(150_000)),
          fc.integer({ min: -1, max: 1 }),
        )
        .map(([wait, nudge]) => Math.max(0, wait + nudge)),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'month' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('reset' as const), of: fc.constantFrom('ip', 'user', 'quota') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tier' as const), tier: fc.constantFrom('free', 'starter') }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('allow' as const), seconds: fc.integer({ min: 1, max: 90 }) }),
  },
);

let last = 0;
/** An address, a user and a key that nothing was counted for. */
async function strangers() {
  last += 1;
  const ip = `10.${(last >> 16) & 255}.${(last >> 8) & 255}.${last & 255}`;
  const { json } = await call(here.services, createApiKey, {
    body: { name: `key ${last}`, tier: 'free', client_type: 'public' },
  });
  return { ip, user: `user ${last}`, key: { id: String(json.id), secret: String(json.secret) } };
}

describe('a schedule of calls, resets, tiers and exceptions', () => {
  it('is decided as promised: all or nothing, the first refusal named, over whatever changes meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
        const { ip, user, key } = await strangers();
        const promised = new Promised();
        const facts = (asked: { user: boolean; key: boolean; cost: number }): Facts => ({
          method: 'GET',
          path: '/api/x',
          class: 'read',
          address: parseAddress(ip),
          requestId: null,
          cost: asked.cost,
          ...(asked.user ? { userId: user } : {}),
          ...(asked.key ? { apiKey: key.secret } : {}),
        });
        for (const step of steps) {
          const { clock, services } = here;
          const target = { type: step.kind === 'reset' && step.of === 'user' ? 'user_id' : 'ip', identifier: ip };
          if (step.kind === 'wait') clock.advance(step.milliseconds);
          else if (step.kind === 'month')
            clock.now = Date.UTC(new Date(clock.now).getUTCFullYear(), new Date(clock.now).getUTCMonth() + 1);
          else if (step.kind === 'tier') {
            await call(services, changeTier, { params: { api_key: key.id }, body: { tier: step.tier } });
            promised.tier = step.tier;
          } else if (step.kind === 'allow') {
            promised.allowedUntil = clock.now + step.seconds * SECOND;
            const expires_at = new Date(promised.allowedUntil).toISOString();
            await call(services, addAllowlistEntry, { body: { ...target, reason: 'x', expires_at } });
          } else if (step.kind === 'reset' && step.of === 'quota') {
            await call(services, resetQuota, { params: { api_key: key.id } });
            promised.forget(`quota ${key.id}`);
          } else if (step.kind === 'reset') {
            const identifier = step.of === 'user' ? user : ip;
            await call(services, resetCounters, { body: { ...target, identifier } });
            promised.forget(identifier);
          } else {
            const decisions = await Promise.all(step.calls.map((asked) => services.engine.decide(facts(asked))));
            for (const [i, asked] of step.calls.entries()) {
              const names = { ip, user: asked.user ? user : null, key: asked.key ? key.id : null, cost: asked.cost };
              const refusing = promised.decide(names, clock.now);
              const [first] = refusing;
              expect(decisions[i]?.refusal?.violated ?? []).toEqual(refusing);
              expect(decisions[i]?.refusal?.error).toBe(first === undefined ? undefined : CODES[first]);
              expectInRange(decisions[i]!, clock.now);
            }
          }
        }
      }),
      runs(40),
    );
  });

  it('waits exactly as long as Retry-After says: a second less is too early', async () => {
    let refusals = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.boolean(), fc.boolean(), fc.integer({ min: 1, max: 5 }), fc.nat(20_000)), {
          minLength: 8,
          maxLength: 16,
        }),
        async (asks) => {
          const { ip, user, key } = await strangers();
          const { clock, services } = here;
          for (const [withUser, withKey, cost, gap] of asks) {
            clock.advance(gap);
            const ask = () =>
              services.engine.decide({
                method: 'GET',
                path: '/api/x',
                class: 'read',
                address: parseAddress(ip),
                requestId: null,
                cost,
                ...(withUser ? { userId: user } : {}),
                ...(withKey ? { apiKey: key.secret } : {}),
              });
            const decision = await ask();
            expectInRange(decision, clock.now);
            if (decision.outcome === 'allowed') continue;
            refusals += 1;
            const wait = decision.refusal?.retryAfter ?? 0;
            const from = clock.now;
            if (wait > 1) {
              clock.now = from + (wait - 1) * SECOND;
              expect((await ask()).outcome).toBe('refused');
            }
            clock.now = from + wait * SECOND;
            expect((await ask()).outcome).toBe('allowed');
          }
        },
      ),
      runs(40),
    );
    expect(refusals).toBeGreaterThan(50);
  });
});

/** What every answer promises of its headers, whatever was decided. */
function expectInRange(decision: Decision, now: number): void {
  const headers = buildDecisionHeaders(decision, false);
  for (const value of Object.values(headers)) expect(value).toMatch(/^(\d+|bypassed)$/);
  for (const state of [...decision.limits, ...(decision.quota === null ? [] : [decision.quota])]) {
    expect(state.remaining).toBeGreaterThanOrEqual(0);
    expect(state.remaining).toBeLessThanOrEqual(state.limit);
    expect(state.reset * SECOND).toBeGreaterThanOrEqual(now);
    // A window, and the slot that is just leaving.
    expect(state.reset * SECOND).toBeLessThanOrEqual(now + (state.window * SECOND * 61) / 60 + SECOND);
  }
  if (decision.refusal !== null) expect(Number(headers['Retry-After'])).toBeGreaterThanOrEqual(1);
}
