import { change } from '@/lib/admin/change';
import { storedRouteRules } from '@/lib/admin/route-rules/stored';
import { writeSetting } from '@/lib/admin/setting';
import { replaceRouteRules as contract } from '@/lib/contract/route-rules';
import { ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';
import { documentTag, requireMatch } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Sets all route rules at once, from the next decision on. */
export const replaceRouteRules = implement(contract, (context, { body: rules }) => {
  const { database } = context.services;
  return change(context, async (revision) => {
    const before = await storedRouteRules(database);
    requireMatch(context.facts.ifMatch, documentTag(before));
    return {
      audit: { action: 'route_rules.replace', target: ROUTE_RULES_SETTING, before, after: rules },
      statements: writeSetting(database, ROUTE_RULES_SETTING, { before, after: rules }, context.now, revision),
      result: new Reply(rules, { headers: { ETag: documentTag(rules) } }),
    };
  });
});
