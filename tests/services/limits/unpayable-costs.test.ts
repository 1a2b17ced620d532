import { expect, it } from 'vitest';
import { addGrant } from '@/lib/admin/grants/add';
import { removeGrant } from '@/lib/admin/grants/remove';
import { setIncident } from '@/lib/admin/incident/set';
import { changeTier } from '@/lib/admin/keys/change-tier';
import { createApiKey } from '@/lib/admin/keys/create';
import { putOverride } from '@/lib/admin/overrides/add';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { replaceRouteRules } from '@/lib/admin/route-rules/replace';
import { planState } from '@/lib/admin/state/plan';
import { call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const query = { dry_run: 'true' };
const RULE = { method: 'POST', path: '/exports', class: 'write', cost: 20 };
const OVERRIDE = { type: 'ip', identifier: '192.0.2.1', class: 'write', limit: 5, window_seconds: 60, reason: 'Abuse' };

/** The effect of a change in its preview. */
async function previewed(operation: Parameters<typeof call>[1], body: unknown): Promise<string> {
  const { status, json } = await call(here.services, operation, { body, query });
  expect(status).toBe(200);
  return json.changes[0].effect ?? '';
}

it('a change that makes a cost unpayable is warned of', async () => {
  expect(await previewed(replaceRouteRules, [{ ...RULE, cost: 51 }])).toContain('POST /exports costs 51');
  expect(await previewed(replaceRouteRules, [RULE])).not.toContain('Warning');
  await call(here.services, replaceRouteRules, { body: [RULE] });

  const lower = { classes: { write: { ip: { limit: 19, window_seconds: 60 } } } };
  expect(await previewed(patchPolicies, lower)).toContain('POST /exports costs 20, the limit is 19');
  expect(await previewed(putOverride, OVERRIDE)).toContain('POST /exports costs 20, the limit is 5');
  expect(await previewed(putOverride, { ...OVERRIDE, class: 'read' })).not.toContain('Warning');
  const tier = { tiers: { free: 19 }, tier_rates: { free: null } };
  expect(await previewed(patchPolicies, tier)).toContain('POST /exports costs 20, the limit is 19');
  expect(await previewed(patchPolicies, { tier_rates: { starter: 18 } })).toContain('the limit is 18');

  const until = new Date(here.clock.now + 3_600_000).toISOString();
  const incident = { mode: 'factor', factor: 0.1, until, reason: 'Overload' };
  expect(await previewed(setIncident, incident)).toContain('POST /exports costs 20');

  const less = { ...incident, factor: 0.7 };
  expect(await previewed(setIncident, less)).not.toContain('Warning');
  await call(here.services, setIncident, { body: less });
  const lowered = { classes: { write: { ip: { limit: 28, window_seconds: 60 } } } };
  expect(await previewed(patchPolicies, lowered)).toContain('POST /exports costs 20, the limit is 19');
  expect(await previewed(putOverride, { ...OVERRIDE, limit: 28 })).toContain('POST /exports costs 20, the limit is 19');
  expect(await previewed(replaceRouteRules, [{ ...RULE, cost: 30 }])).toContain('POST /exports costs 30');

  const document = { version: 1, route_rules: [{ ...RULE, cost: 60 }] };
  const { json } = await call(here.services, planState, { body: document });
  expect(json.changes[0].effect).toContain('POST /exports costs 60');
});

it('so is a tier, or the end of a grant, that leaves a key a quota below a cost', async () => {
  await call(here.services, replaceRouteRules, { body: [RULE] });
  await call(here.services, patchPolicies, { body: { tiers: { free: 12 } } });
  const { id } = (await call(here.services, createApiKey, { body: { name: 'Exports', tier: 'starter' } })).json;
  const params = { api_key: id };
  const effectOf = async (operation: Parameters<typeof call>[1], input: Parameters<typeof call>[2]) =>
    (await call(here.services, operation, { ...input, query })).json.changes[0].effect ?? '';

  expect(await effectOf(changeTier, { params, body: { tier: 'free' } })).toContain('costs 20, the limit is 12');
  expect(await effectOf(changeTier, { params, body: { tier: 'business' } })).not.toContain('Warning');
  await call(here.services, changeTier, { params, body: { tier: 'free' } });
  const until = new Date(here.clock.now + 3_600_000).toISOString();
  const grant = { api_key: id, requests: 10, until, reason: 'Month end' };
  const added = (await call(here.services, addGrant, { body: grant })).json;
  expect(await effectOf(removeGrant, { body: { id: added.id } })).toContain('costs 20, the limit is 12');
});
