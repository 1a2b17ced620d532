import { readStoredCandidateRules } from '@/lib/admin/candidates/stored';
import { change } from '@/lib/admin/change';
import { ROUTE_RULES_DOCUMENT, readStoredRouteRules } from '@/lib/admin/route-rules/stored';
import { planDocument, replaceSetting } from '@/lib/admin/setting';
import { promoteCandidateRules as contract } from '@/lib/contract/candidates';
import { CANDIDATE_RULES_SETTING, ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Promotes candidate route rules to the live ones, and ends their trial. Writes two records of one change. */
export const promoteCandidateRules = implement(contract, (context, { body }) => {
  const { database } = context.services;
  const { id, reason = null } = body;
  return change(context, async (revision) => {
    const promoted = await readStoredCandidateRules(database, context.now);
    if (promoted === null) throw new ApiError('not_found', 'No route rules are tried.');
    if (id !== undefined && id !== promoted.id) throw new ApiError('conflict', 'The candidate has changed.');
    const versions = { before: await readStoredRouteRules(database), after: promoted.rules };
    const rules = planDocument(context, ROUTE_RULES_DOCUMENT, versions, revision + 1, reason);
    return {
      // The rules come last, because the answer returns the number of the last record for an undo.
      audit: [
        { action: 'candidate_rules.promote', target: ROUTE_RULES_SETTING, before: promoted, reason },
        rules.audit,
      ],
      statements: [
        ...replaceSetting(context, CANDIDATE_RULES_SETTING, { before: promoted, after: null }, revision),
        ...rules.statements,
      ],
      result: promoted.rules,
    };
  });
});
