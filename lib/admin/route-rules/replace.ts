import { change } from '@/lib/admin/change';
import { ROUTE_RULES_DOCUMENT, readStoredRouteRules, requireRuleLimits } from '@/lib/admin/route-rules/stored';
import { planDocument } from '@/lib/admin/setting';
import { replaceRouteRules as contract } from '@/lib/contract/route-rules';
import { buildDocumentTag, requireMatch } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Replaces all route rules, from the next decision on. */
export const replaceRouteRules = implement(contract, (context, { body: after }) =>
  change(context, async (revision) => {
    requireRuleLimits(after, (await context.services.rules.readFresh()).limits);
    const before = await readStoredRouteRules(context.services.database);
    requireMatch(context.facts.ifMatch, buildDocumentTag(before));
    return {
      ...planDocument(context, ROUTE_RULES_DOCUMENT, { before, after }, revision),
      result: new Reply(after, { headers: { ETag: buildDocumentTag(after) } }),
    };
  }),
);
