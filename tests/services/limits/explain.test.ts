import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { createApiKey } from '@/lib/admin/keys/create';
import { explainDecision } from '@/lib/admin/limits/explain-decision';
import { putOverride } from '@/lib/admin/overrides/add';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { replaceRouteRules } from '@/lib/admin/route-rules/replace';
import { type Check, CheckSchema } from '@/lib/contract/check';
import { StoreUnavailable } from '@/lib/counters/store';
import { buildCheckResult } from '@/lib/enforcement/decision-api/check-result';
import { convertCheckToFacts } from '@/lib/enforcement/decision-api/read-checks';
import { call } from '@/tests/fixtures/call';
import { type TestServices, testServices } from '@/tests/fixtures/services';

let here: TestServices;
beforeEach(async () => {
  here = await testServices();
});
afterEach(() => here[Symbol.dispose]());

const explain = (body: unknown) => call(here.services, explainDecision, { body });
const explained = async (body: unknown) => {
  const { status, json } = await explain(body);
  expect(status).toBe(200);
  return json;
};
async function check(body: Check, times = 1) {
  const facts = convertCheckToFacts(CheckSchema.parse(body), 'request');
  const decisions = await here.services.engine.decideAll(Array.from({ length: times }, () => facts));
  return buildCheckResult(decisions[decisions.length - 1]!);
}

const ADDRESS = '203.0.113.7';
const GET = { method: 'GET', path: '/api/reports/7', ip: ADDRESS } as const;

async function newKey(more: Record<string, unknown> = {}): Promise<{ id: string; secret: string }> {
  const body = { name: 'Store locator', tier: 'free', client_type: 'confidential', ...more };
  const { status, json } = await call(here.services, createApiKey, { body });
  expect(status).toBe(201);
  return json;
}

async function done(answer: Promise<{ status: number }>) {
  expect((await answer).status).toBeLessThan(300);
}

describe('an explanation', () => {
  test('says what the next check answers, and why', async () => {
    await check({ class: 'read', ip: ADDRESS }, 3);
    const explanation = await explained({ ...GET, user_id: 'alice' });
    expect(explanation).toEqual({
      at: '2026-11-20T12:00:00.000Z',
      class: 'read',
      class_source: { kind: 'default', detail: 'Built-in default: safe methods, such as GET and HEAD' },
      cost: 1,
      cost_source: 'default',
      throttle: { limit: 1000, window_seconds: 1, used: 0, remaining: 1000, counted: true },
      incident: null,
      store: { available: true, on_failure: 'local' },
      api_key: null,
      subjects: [
        {
          subject: 'ip',
          identifier: ADDRESS,
          counted_as: ADDRESS,
          name: null,
          bypass: null,
          limit: 100,
          window_seconds: 60,
          cost: 1,
          source: { kind: 'policy', detail: 'Policy of class read, for each address' },
          used: 3,
          remaining: 97,
          reset: here.clock.now / 1000 + 61,
          refuses: false,
          retry_after: null,
        },
        {
          subject: 'user',
          identifier: 'alice',
          counted_as: 'alice',
          name: null,
          bypass: null,
          limit: 5000,
          window_seconds: 3600,
          cost: 1,
          source: { kind: 'policy', detail: 'Policy of class read, for each user' },
          used: 0,
          remaining: 5000,
          reset: here.clock.now / 1000,
          refuses: false,
          retry_after: null,
        },
      ],
      quota: null,
      refused_by: [],
      decision: { allowed: true, class: 'read', limit: 100, remaining: 96, reset: here.clock.now / 1000 + 61 },
    });
    expect(await check({ ...GET, user_id: 'alice' })).toEqual(explanation.decision);
  });

  test('consumes nothing, and leaves nothing in the log', async () => {
    const first = await explained(GET);
    for (let time = 0; time < 20; time += 1) await explained(GET);
    expect(await explained(GET)).toEqual(first);
    expect(here.services.statistics.listTotals()).toEqual([]);
  });

  test('names the route rule that chose class and cost', async () => {
    const rules = [
      { method: 'POST', path: '/api/*', class: 'write' },
      { method: 'GET', path: '/api/reports/:id', class: 'sensitive', cost: 7 },
    ];
    await done(call(here.services, replaceRouteRules, { body: rules }));
    expect(await explained(GET)).toMatchObject({
      class: 'sensitive',
      class_source: { kind: 'route_rule', rule: 2, method: 'GET', path: '/api/reports/:id' },
      cost: 7,
      cost_source: 'route_rule',
    });
    expect(await explained({ ...GET, method: 'POST' })).toMatchObject({
      class_source: { kind: 'route_rule', rule: 1 },
      cost_source: 'default',
    });
    expect(await explained({ class: 'auth', ip: ADDRESS, cost: 3 })).toMatchObject({
      class: 'auth',
      class_source: { kind: 'request' },
      cost: 3,
      cost_source: 'request',
      throttle: { counted: false },
    });
  });

  test('says whose override sets a limit: the range, its reason, and when it ends', async () => {
    const override = { class: 'read', limit: 2, window_seconds: 30, reason: 'A network that scrapes' };
    const range = { type: 'ip', identifier: '203.0.113.0/24', expires_at: '2026-11-21T00:00:00.000Z' };
    const { json: ofRange } = await call(here.services, putOverride, { body: { ...override, ...range } });
    const user = { type: 'user_id', identifier: 'alice', limit: 9, reason: 'A partner' };
    const { json: ofUser } = await call(here.services, putOverride, { body: { ...override, ...user } });
    await check({ class: 'read', ip: ADDRESS }, 2);
    const explanation = await explained({ ...GET, user_id: 'alice' });
    expect(explanation.subjects).toMatchObject([
      {
        subject: 'ip',
        limit: 2,
        window_seconds: 30,
        used: 2,
        remaining: 0,
        refuses: true,
        retry_after: 31,
        source: {
          kind: 'override',
          id: ofRange.id,
          identifier: '203.0.113.0/24',
          reason: 'A network that scrapes',
          expires_at: '2026-11-21T00:00:00.000Z',
          detail: 'Override of 203.0.113.0/24: A network that scrapes',
        },
      },
      { subject: 'user', limit: 9, refuses: false, source: { kind: 'override', id: ofUser.id, expires_at: null } },
    ]);
    expect(explanation.refused_by).toEqual(['ip']);
    expect(explanation.decision).toMatchObject({ allowed: false, error: 'rate_limit_exceeded', retry_after: 31 });
    expect(await check({ ...GET, user_id: 'alice' })).toEqual(explanation.decision);
  });

  test('names the allowlist entry that bypasses, and the limits that would apply', async () => {
    await check({ class: 'read', ip: ADDRESS }, 4);
    const entry = { type: 'ip', identifier: '203.0.113.0/28', reason: 'Ticket 900', expires_at: null };
    await done(call(here.services, addAllowlistEntry, { body: entry }));
    const explanation = await explained({ ...GET, user_id: 'alice' });
    const bypass = { id: expect.any(String), ...entry };
    expect(explanation.subjects).toMatchObject([
      { subject: 'ip', bypass, limit: 100, used: 4, refuses: false },
      { subject: 'user', bypass, limit: 5000, used: 0, refuses: false },
    ]);
    expect(explanation.decision).toEqual({
      allowed: true,
      status: 'bypassed',
      class: 'read',
      limit: null,
      remaining: null,
      reset: null,
    });
    expect(await check({ ...GET, user_id: 'alice' })).toEqual(explanation.decision);
  });

  test('names the tier that sets the rate of a key, and the refusal does too', async () => {
    await done(call(here.services, patchPolicies, { body: { tier_rates: { free: 3 } } }));
    const { secret } = await newKey();
    await check({ class: 'write', api_key: secret }, 3);
    const explanation = await explained({ class: 'write', api_key: secret });
    expect(explanation.subjects[0]).toMatchObject({
      subject: 'client',
      limit: 3,
      used: 3,
      source: { kind: 'tier', id: 'free' },
    });
    const answer = await check({ class: 'write', api_key: secret });
    expect(answer).toMatchObject({ allowed: false, error: 'client_rate_limit_exceeded', limit: 3 });
    expect(answer).toEqual(explanation.decision);
    await done(call(here.services, patchPolicies, { body: { tier_rates: { free: null } } }));
    expect((await explained({ class: 'write', api_key: secret })).subjects[0]).toMatchObject({
      limit: 100,
      source: { kind: 'client', id: 'confidential' },
    });
  });

  test('shows client and quota of an API key, by its secret or its uuid', async () => {
    await done(call(here.services, patchPolicies, { body: { tiers: { free: 5 } } }));
    const { id, secret } = await newKey({ user_id: 'alice' });
    await check({ class: 'read', api_key: secret }, 5);
    const explanation = await explained({ ...GET, api_key: secret });
    expect(explanation).toMatchObject({
      api_key: { valid: true, id, name: 'Store locator' },
      subjects: [
        { subject: 'ip' },
        {
          subject: 'client',
          identifier: id,
          name: 'Store locator',
          limit: 100,
          used: 5,
          source: { kind: 'client', id: 'confidential' },
        },
        { subject: 'user', identifier: 'alice', used: 5 },
      ],
      quota: {
        api_key_id: id,
        name: 'Store locator',
        tier: 'free',
        overage_allowed: false,
        granted: 0,
        limit: 5,
        used: 5,
        remaining: 0,
        reset: Date.UTC(2026, 11, 1) / 1000,
        refuses: true,
        retry_after: (Date.UTC(2026, 11, 1) - here.clock.now) / 1000,
        source: { kind: 'tier', id: 'free' },
      },
      refused_by: ['quota'],
      decision: { allowed: false, error: 'quota_exceeded' },
    });
    expect(await explained({ ...GET, api_key_id: id })).toEqual(explanation);
    expect(await explained({ ...GET, api_key: id })).toEqual(explanation);
    expect(await check({ ...GET, api_key: secret })).toEqual(explanation.decision);
  });

  test('says that a key is unknown', async () => {
    const explanation = await explained({ ...GET, api_key: 'slk_nobody' });
    expect(explanation).toMatchObject({
      api_key: { valid: false, id: null, name: null },
      quota: null,
      decision: { allowed: false, error: 'invalid_api_key' },
    });
    expect(await check({ ...GET, api_key: 'slk_nobody' })).toEqual(explanation.decision);
  });

  test('counts an IPv6 address as its /64, and an OAuth client by its type', async () => {
    await check({ class: 'auth', ip: '2001:db8::1', client_id: 'app' }, 2);
    expect((await explained({ class: 'auth', ip: '2001:db8::2', client_id: 'app' })).subjects).toMatchObject([
      { subject: 'ip', identifier: '2001:db8::2', counted_as: '2001:db8::/64', used: 2 },
      {
        subject: 'client',
        identifier: 'app',
        name: null,
        limit: 30,
        used: 2,
        source: { kind: 'client', id: 'public' },
      },
    ]);
    const confidential = { class: 'auth', client_id: 'app', client_type: 'confidential' };
    expect((await explained(confidential)).subjects).toMatchObject([{ limit: 100, source: { id: 'confidential' } }]);
  });

  test('of the throttle shows what this instance has admitted', async () => {
    const facts = convertCheckToFacts(CheckSchema.parse(GET), 'request');
    for (let time = 0; time < 3; time += 1) await here.services.engine.admit(facts);
    expect((await explained(GET)).throttle).toMatchObject({ used: 3, remaining: 997, counted: true });
    expect((await explained({ ...GET, path: '/somewhere' })).throttle.counted).toBe(false);
  });
});

describe('while the store is down', () => {
  const broken = () => {
    const down = () => Promise.reject(new StoreUnavailable('down'));
    const { engine } = here.services;
    const { store } = (engine as unknown as { options: { store: Record<string, unknown> } }).options;
    store.commit = down;
    store.read = down;
  };

  test('a class that is decided locally has half its limits, without a quota', async () => {
    const { id } = await newKey();
    const body = { class: 'read', ip: ADDRESS, api_key: id } as const;
    await check(body);
    broken();
    await check(body, 2);
    const explanation = await explained(body);
    expect(explanation).toMatchObject({
      store: { available: false, on_failure: 'local' },
      subjects: [
        { subject: 'ip', limit: 50, used: 2, remaining: 48 },
        { subject: 'client', limit: 50, used: 2 },
      ],
      quota: { limit: 1000, used: null, remaining: null, reset: null },
      decision: { allowed: true, status: 'degraded', limit: 50, remaining: 47 },
    });
    expect(await check(body)).toEqual(explanation.decision);
  });

  test('a class that requires it refuses', async () => {
    broken();
    const body = { class: 'auth', ip: ADDRESS } as const;
    const explanation = await explained(body);
    expect(explanation).toMatchObject({
      store: { available: false, on_failure: 'closed' },
      subjects: [{ subject: 'ip', limit: 10, used: null, remaining: null, reset: null, refuses: false }],
      refused_by: [],
      decision: { allowed: false, error: 'service_unavailable' },
    });
    expect(await check(body)).toEqual(explanation.decision);
  });
});

test.each([
  [{}],
  [{ class: 'read' }],
  [{ path: '/', ip: ADDRESS }],
  [{ class: 'read', ip: '10.0.0.0/8' }],
  [{ class: 'read', api_key_id: 'nobody' }],
  [{ class: 'read', api_key_id: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69', api_key: 'x' }],
  [{ class: 'read', api_key_id: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69', client_id: 'x' }],
  [{ class: 'read', ip: ADDRESS, client_type: 'public' }],
  [{ class: 'read', ip: ADDRESS, cost: 0 }],
  [{ class: 'read', ip: ADDRESS, more: 1 }],
  [[]],
])('refuses %j', async (body) => {
  expect(await explain(body)).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
});
