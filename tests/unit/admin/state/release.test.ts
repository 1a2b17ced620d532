import { describe, expect, it } from 'vitest';
import { listAudit } from '@/lib/admin/audit-log/list';
import { explainDecision } from '@/lib/admin/limits/explain-decision';
import { getPolicies } from '@/lib/admin/policies/get';
import { getRouteRules } from '@/lib/admin/route-rules/get';
import { applyState } from '@/lib/admin/state/apply';
import { releaseFromState } from '@/lib/admin/state/release';
import { MANAGED_HEADER } from '@/lib/contract/fields/managed';
import type { StateKind } from '@/lib/contract/state-release';
import { call } from '@/tests/fixtures/call';
import { rulesIn } from '@/tests/fixtures/rules-in';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

const IP = '203.0.113.7';
const DOCUMENT = {
  version: 1,
  policies: { tiers: { free: 10 } },
  limits: [{ name: 'sms', windows: [{ limit: 1, seconds: 30 }] }],
  route_rules: [{ method: 'GET', path: '/api/*', class: 'read', limits: [{ name: 'sms', subject: 'ip' }] }],
  api_keys: [{ name: 'Reports', tier: 'starter', limits: { sms: [{ limit: 2, seconds: 30 }] } }],
  grants: [{ api_key: 'Reports', requests: 5, until: '2027-01-01T00:00:00Z', reason: 'Migration' }],
  allowlist: [{ type: 'user_id', identifier: 'alice', reason: 'Office' }],
  overrides: [{ type: 'ip', identifier: IP, class: 'read', limit: 7, window_seconds: 60, reason: 'Crawler' }],
  alerts: { quota_forecast: { days: 3 } },
};
const IDS: Readonly<Record<StateKind, string | undefined>> = {
  policies: undefined,
  limits: undefined,
  route_rules: undefined,
  api_keys: 'Reports',
  grants: 'Reports',
  allowlist: 'user_id alice',
  overrides: `ip ${IP} read`,
  alerts: undefined,
};

describe('what a state document has set', () => {
  servicesSuite();
  const release = (kind: string, id?: string, reason = 'Ours now') =>
    call(here.services, releaseFromState, { body: { kind, id }, query: { reason } });
  const marks = async () => {
    const { services } = here;
    const text = JSON.stringify(await rulesIn(services.database));
    const headers = [await call(services, getPolicies), await call(services, getRouteRules)];
    return {
      rows: text.split('"managed":true').length - 1,
      documents: headers.filter(({ headers: sent }) => sent.get(MANAGED_HEADER) === 'true').length,
    };
  };

  it('is released one by one, each with its record, and nothing else is changed', async () => {
    const { services } = here;
    await call(services, applyState, { body: DOCUMENT });
    const before = await marks();
    expect(before.documents).toBe(2);
    let left = before.rows + before.documents;
    for (const [kind, id] of Object.entries(IDS)) {
      const [former] = (await call(services, listAudit)).json;
      expect((await release(kind, id)).status, kind).toBe(204);
      const now = await marks();
      expect(now.rows + now.documents, kind).toBeLessThan(left);
      left = now.rows + now.documents;
      const [record] = (await call(services, listAudit)).json;
      expect(record).toMatchObject({
        ...{ seq: former.seq + 1, action: 'state.release', reason: 'Ours now' },
        ...{ before: { managed: true }, after: { managed: false }, undo: { possible: false } },
      });
      expect((await release(kind, id)).status, kind).toBe(404);
    }
    expect(await marks()).toEqual({ rows: 0, documents: 0 });
    // A document that still names it sets it again, and finds nothing to change.
    const { json } = await call(services, applyState, { body: DOCUMENT });
    expect(json.changes).toEqual([]);
    expect(await marks()).toEqual(before);
  });

  it('is refused where the id makes no sense', async () => {
    for (const [kind, id] of [['policies', 'x'], ['allowlist'], ['nonsense', 'x']]) {
      expect((await release(kind ?? '', id)).status, kind).toBe(400);
    }
    expect((await release('api_keys', 'Nobody')).status).toBe(404);
  });

  it('is marked in explanations', async () => {
    const { services } = here;
    const { json: applied } = await call(services, applyState, { body: DOCUMENT });
    const [{ id }] = applied.secrets;
    const body = { class: 'read', ip: IP, user_id: 'alice', api_key_id: id };
    const { json } = await call(services, explainDecision, { body });
    const marked = (one: { source: { managed?: true } }) => one.source.managed;
    expect(json.subjects.map(marked)).toEqual([true, true, undefined]);
    expect([json.quota.source.managed, json.subjects[0].bypass.managed]).toEqual([true, true]);
  });
});
