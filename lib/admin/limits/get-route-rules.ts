import { storedRouteRules } from '@/lib/admin/limits/settings';
import { getRouteRules as contract } from '@/lib/contract/route-rules';
import { documentTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** The rules that say which class a route belongs to. */
export const getRouteRules = implement(contract, async ({ services }) => {
  const rules = await storedRouteRules(services.database);
  return new Reply(rules, { headers: { ETag: documentTag(rules) } });
});
