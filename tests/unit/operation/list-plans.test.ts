import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { listAudit } from '@/lib/admin/audit-log/list';
import { listDecisions } from '@/lib/admin/decisions/list';
import { listApiKeys } from '@/lib/admin/keys/list';
import { listOverrides } from '@/lib/admin/overrides/list';
import type { Operation } from '@/lib/operation/operation';
import { call } from '@/tests/fixtures/call';
import { type TestServices, testServices } from '@/tests/fixtures/services';
import { statementsOf } from '@/tests/fixtures/statements';

const ID = '00000000-0000-4000-8000-000000000001';

const FROM = '2026-11-01T00:00:00Z';

/** The first page of each list that may be long, and the step of the plan that finds it. */
const PAGES: readonly [Operation, Record<string, string>, string][] = [
  [listAudit, {}, 'SCAN audit'],
  [listAudit, { target: ID }, 'SEARCH audit USING INDEX audit_target (target=?)'],
  [listAudit, { actor: 'token:bootstrap', action: 'api_key', from: FROM }, 'SCAN audit'],
  [listDecisions, {}, 'SCAN decisions'],
  [listDecisions, { ip: '203.0.113.7' }, 'SEARCH decisions USING INDEX decisions_ip (ip=?)'],
  [listDecisions, { identifier: 'ada' }, 'SEARCH decisions USING INDEX decisions_identifier (identifier=?)'],
  [listDecisions, { request_id: ID }, 'SEARCH decisions USING INDEX decisions_request (request_id=?)'],
  [listDecisions, { class: 'auth' }, 'SEARCH decisions USING INDEX decisions_class (class=?)'],
  [listApiKeys, {}, 'SCAN api_keys USING INDEX api_keys_created'],
  [listAllowlist, {}, 'SCAN allowlist USING INDEX allowlist_created'],
  [listOverrides, {}, 'SCAN overrides USING INDEX overrides_created'],
];

let test: TestServices;
beforeAll(async () => {
  test = await testServices();
});
afterAll(() => test[Symbol.dispose]());

describe('the first page of a long list', () => {
  it.each(PAGES.map(([operation, query, step]) => ({ id: operation.id, operation, query, step })))(
    'of $id by $query is read in its order, and never sorted whole',
    async ({ operation, query, step }) => {
      const { services } = test;
      const statements = await statementsOf(services.database, () =>
        call(services, operation, { query: { limit: '50', ...query } }),
      );
      const plans = statements.map(({ plan }) => plan);
      expect(plans.filter((plan) => plan.includes(step))).not.toEqual([]);
      expect(plans.flat()).not.toContain('USE TEMP B-TREE FOR ORDER BY');
    },
  );
});
