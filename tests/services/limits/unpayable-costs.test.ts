import { expect, it } from 'vitest';
import { setIncident } from '@/lib/admin/incident/set';
import { patchPolicies } from '@/lib/admin/limits/patch-policies';
import { replaceRouteRules } from '@/lib/admin/limits/replace-route-rules';
import { putOverride } from '@/lib/admin/overrides/add';
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
  const until = new Date(here.clock.now + 3_600_000).toISOString();
  const incident = { mode: 'factor', factor: 0.1, until, reason: 'Overload' };
  expect(await previewed(setIncident, incident)).toContain('POST /exports costs 20');

  const document = { version: 1, route_rules: [{ ...RULE, cost: 60 }] };
  const { json } = await call(here.services, planState, { body: document });
  expect(json.changes[0].effect).toContain('POST /exports costs 60');
});
