import { readStoredRouteRules } from '@/lib/admin/route-rules/stored';
import { readManagedHeader } from '@/lib/admin/setting';
import { getRouteRules as contract } from '@/lib/contract/route-rules';
import { ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';
import { buildDocumentTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Returns the rules that assign routes to classes. */
export const getRouteRules = implement(contract, async ({ services }) => {
  const rules = await readStoredRouteRules(services.database);
  const managed = await readManagedHeader(services.database, ROUTE_RULES_SETTING);
  return new Reply(rules, { headers: { ETag: buildDocumentTag(rules), ...managed } });
});
