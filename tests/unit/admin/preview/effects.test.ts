import { describe, expect, it } from 'vitest';
import { decisions } from '@/drizzle/schema';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { listExceptions } from '@/lib/admin/exceptions/list';
import { changeTier } from '@/lib/admin/keys/change-tier';
import { createApiKey } from '@/lib/admin/keys/create';
import { revokeApiKey } from '@/lib/admin/keys/revoke';
import { rotateApiKey } from '@/lib/admin/keys/rotate';
import { updateApiKey } from '@/lib/admin/keys/update';
import { putOverride } from '@/lib/admin/overrides/add';
import { removeOverride } from '@/lib/admin/overrides/remove';
import { dryRunPolicies } from '@/lib/admin/policies/dry-run';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { createToken } from '@/lib/admin/tokens/create';
import { revokeToken } from '@/lib/admin/tokens/revoke';
import { buildQuotaKey } from '@/lib/enforcement/quota-counter';
import type { ApiKeyId } from '@/lib/ids';
import type { Operation } from '@/lib/operation/operation';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { type CallOptions, call } from '@/tests/fixtures/call';
import { decisionEvent } from '@/tests/fixtures/decision-event';
import { TEST_START } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const MINUTE = 60_000;

/** The effect of a change that leaves one record. */
async function effectOf(operation: Operation, options: CallOptions): Promise<string | undefined> {
  const { status, json, text } = await call(here.services, operation, { ...options, query: { dry_run: 'true' } });
  expect(status, text).toBe(200);
  expect(json.changes).toHaveLength(1);
  return json.changes[0].effect;
}

/** So many requests within one minute, ten minutes ago. */
function burst(requests: number, change: Partial<DecisionEvent>) {
  for (let n = 0; n < requests; n += 1)
    here.services.statistics.record(decisionEvent(TEST_START - 10 * MINUTE, change));
}
const written = async () => {
  for (let n = 0; n < 10; n += 1) await here.services.statistics.flush();
};
const newKey = async (name: string, fields: object = {}) =>
  (await call(here.services, createApiKey, { body: { name, tier: 'free', client_type: 'confidential', ...fields } }))
    .json.id as ApiKeyId;
async function use(id: ApiKeyId, cost: number) {
  const { counters, rules } = here.services;
  const window = { kind: 'month' } as const;
  const meter = { subject: 'quota', key: buildQuotaKey(id), limit: 0, window, unlimited: true } as const;
  await counters.commit((await rules.readFresh()).revision, [{ meters: [meter], cost }]);
}

describe('an override', () => {
  const range = (identifier: string, limit: number) => ({
    ...{ type: 'ip', identifier, class: 'read', limit, window_seconds: 60, reason: 'x' },
  });

  it('is told by those for whom it decides, beside the limit that they have without it', async () => {
    burst(50, { ip: '203.0.113.7' });
    burst(40, { ip: '203.0.113.9' });
    burst(30, { ip: '203.0.113.200' });
    await written();
    await call(here.services, putOverride, { body: range('203.0.113.9', 500) });
    await call(here.services, putOverride, { body: range('203.0.0.0/16', 35) });
    // .9 has its own; .7 has 35 now, and .200 less than that.
    expect(await effectOf(putOverride, { body: range('203.0.113.0/24', 20) })).toBe(
      'Refuses 40 instead of 15 of 80 units in the last hour: 203.0.113.7 and 203.0.113.200. It takes precedence over the override of 203.0.0.0/16. 1 narrower override takes precedence over it: 203.0.113.9.',
    );
    await call(here.services, putOverride, { body: range('203.0.113.0/24', 20) });
    expect(await effectOf(putOverride, { body: range('203.0.0.0/16', 10) })).toBe(
      'In the last hour it applied to no request. 2 narrower overrides take precedence over it: 203.0.113.9 and 203.0.113.0/24.',
    );
    const { limit: _, window_seconds: __, reason: ___, ...target } = range('203.0.113.0/24', 20);
    expect(await effectOf(removeOverride, { body: target })).toBe(
      'Refuses 15 instead of 40 of 80 units in the last hour: 203.0.113.7.',
    );
    const { json } = await call(here.services, listExceptions);
    const needs = Object.fromEntries(
      json.map(({ identifier, would_be_limited: limited }: Record<string, { at_least: number }>) => [
        identifier,
        limited?.at_least,
      ]),
    );
    expect(needs).toEqual({ '203.0.113.9': 20, '203.0.113.0/24': 15, '203.0.0.0/16': 0 });
  });

  it('names two and counts the others', async () => {
    for (const last of [1, 2, 3, 4, 5]) burst(20 + last, { ip: `203.0.113.${last}` });
    await written();
    expect(await effectOf(putOverride, { body: range('203.0.113.0/24', 20) })).toBe(
      'Refuses 15 instead of 0 of 115 units in the last hour: 203.0.113.5, 203.0.113.4 and 3 others.',
    );
  });
});

it('policies name two and count the others', async () => {
  for (const last of [1, 2, 3, 4]) burst(20 + last, { ip: `203.0.113.${last}` });
  await written();
  expect(await effectOf(patchPolicies, { body: { classes: { read: { ip: { limit: 20 } } } } })).toBe(
    'classes.read.ip: refuses 10 instead of 0 of 90 units in the last hour: 203.0.113.4, 203.0.113.3 and 2 others.',
  );
});

it('a smaller quota is told by all keys of its tier, whether they asked in the last hour or not', async () => {
  const [shop, billing] = [await newKey('Shop'), await newKey('Billing')];
  await newKey('Another tier', { tier: 'starter' });
  await newKey('Idle');
  await use(shop, 900);
  await use(billing, 600);
  burst(10, { apiKeyId: billing, ip: null });
  await written();
  expect(await effectOf(patchPolicies, { body: { tiers: { free: 500 } } })).toBe(
    'tiers.free: refuses 10 instead of 0 of 10 units in the last hour: Billing. Refused until their month ends: 2 instead of 0 keys: Shop and Billing.',
  );
  const { json } = await call(here.services, dryRunPolicies, { body: { tiers: { free: 700 } } });
  expect(json.limits[0].used_up).toEqual({ keys: 3, keys_left_out: 0, in_force: 0, changed: 1, most: ['Shop'] });
});

describe('an allowlist entry', () => {
  const entry = { type: 'ip', identifier: '203.0.113.0/24' };
  const passed = async (ip: string, requests: number) => {
    const { json } = await call(here.services, listAllowlist);
    const row = { at: TEST_START - 10 * MINUTE, outcome: 'bypassed' as const, class: 'auth' as const, ip };
    const source = { source: 'allowlist' as const, sourceId: json[0].id };
    await here.services.database.drizzle
      .insert(decisions)
      .values(Array.from({ length: requests }, () => ({ ...row, ...source })));
  };

  it('that is removed or ends earlier says how many the limits refuse, and whom', async () => {
    await call(here.services, addAllowlistEntry, { body: { ...entry, reason: 'Office' } });
    await passed('203.0.113.7', 32);
    await passed('203.0.113.8', 3);
    const told =
      'At least 35 requests of the last hour bypassed limits by it; the limits refuse at least 22 of them: 203.0.113.7.';
    expect(await effectOf(removeAllowlistEntry, { body: entry })).toBe(told);
    const end = (minutes: number) => new Date(TEST_START + minutes * MINUTE).toISOString();
    const ending = (expires: string | null) =>
      effectOf(addAllowlistEntry, { body: { ...entry, reason: 'Office', expires_at: expires } });
    expect(await ending(end(60))).toBe(`It ends at ${end(60)}. ${told}`);
    expect(await ending(null)).toBeUndefined();
    // Another entry lets them pass as before.
    await call(here.services, addAllowlistEntry, { body: { type: 'ip', identifier: '203.0.113.7', reason: 'Ada' } });
    expect(await effectOf(removeAllowlistEntry, { body: entry })).toBe(
      'At least 35 requests of the last hour bypassed limits by it; the limits refuse none of them.',
    );
  });
});

describe('a key', () => {
  it('with another tier says until when it is refused, and what its rate refuses', async () => {
    const id = await newKey('Shop', { tier: 'starter' });
    await use(id, 13_400);
    const tier = { params: { api_key: id }, body: { tier: 'free' } };
    expect(await effectOf(changeTier, tier)).toBe('12,400 requests over the new limit: refused until 1 Dec.');
    burst(40, { apiKeyId: id, ip: null });
    await written();
    await call(here.services, patchPolicies, { body: { tier_rates: { free: 15 } } });
    expect(await effectOf(changeTier, tier)).toBe(
      '12,400 requests over the new limit: refused until 1 Dec. Its rate limit refuses 25 instead of 0 of 40 units in the last hour.',
    );
    expect(await effectOf(changeTier, { ...tier, body: { tier: 'business' } })).toBeUndefined();
  });

  it('that may go over its quota is not refused, until it may not', async () => {
    const id = await newKey('Shop', { tier: 'starter', overage_allowed: true });
    await use(id, 20_000);
    const business = { params: { api_key: id }, body: { tier: 'business' } };
    expect(await effectOf(changeTier, business)).toBeUndefined();
    const strict = { params: { id }, body: { overage_allowed: false } };
    expect(await effectOf(updateApiKey, strict)).toBe('10,000 requests over the new limit: refused until 1 Dec.');
  });

  it('of another client type, with an end or another secret says whom that hits', async () => {
    const id = await newKey('Shop');
    burst(40, { apiKeyId: id, ip: '203.0.113.7' });
    burst(20, { apiKeyId: id, ip: '203.0.113.8' });
    await written();
    await call(here.services, patchPolicies, { body: { clients: { public: { limit: 50 } } } });
    const update = (body: object) => effectOf(updateApiKey, { params: { id }, body });
    expect(await update({ client_type: 'public' })).toBe(
      'Its rate limit refuses 10 instead of 0 of 60 units in the last hour.',
    );
    const used = `60 units in the last hour, most from 203.0.113.7 and 203.0.113.8; it was last used at ${new Date(TEST_START - 10 * MINUTE).toISOString()}`;
    const end = new Date(TEST_START + 60 * MINUTE).toISOString();
    expect(await update({ expires_at: end })).toBe(`Requests with it get 401 from ${end}: ${used}.`);
    const rotate = (grace: number) => effectOf(rotateApiKey, { params: { id }, body: { grace_seconds: grace } });
    expect(await rotate(0)).toBe(`Requests with the previous secret get 401 at once: ${used}.`);
    expect(await rotate(3_600)).toBe(`Requests with the previous secret get 401 from ${end}: ${used}.`);
    expect(await effectOf(revokeApiKey, { params: { id } })).toBe(`Requests with it get 401: ${used}.`);
  });
});

it('a token that is revoked says what it has changed in the last hour', async () => {
  const { json } = await call(here.services, createToken, { body: { name: 'ci', role: 'owner' } });
  const headers = { Authorization: `Bearer ${json.token}` };
  await call(here.services, patchPolicies, { body: { tiers: { free: 5_000 } }, headers });
  await written();
  expect(await effectOf(revokeToken, { params: { id: json.id } })).toBe(
    'Requests with it get 401: 1 change by it in the last hour.',
  );
});
