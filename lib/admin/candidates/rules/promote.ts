import { storedCandidateRules, writeCandidateRules } from '@/lib/admin/candidates/stored';
import { change } from '@/lib/admin/change';
import { storedRouteRules } from '@/lib/admin/route-rules/stored';
import { writeSetting } from '@/lib/admin/setting';
import { promoteCandidateRules as contract } from '@/lib/contract/candidates';
import { ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Makes candidate route rules the live ones, and ends their trial: two records of one change. */
export const promoteCandidateRules = implement(contract, (context, { body }) => {
  const { database } = context.services;
  const { id, reason = null } = body;
  return change(context, async (revision) => {
    const promoted = await storedCandidateRules(database, context.now);
    if (promoted === null) throw new ApiError('not_found', 'No route rules are tried.');
    if (id !== undefined && id !== promoted.id) throw new ApiError('conflict', 'The candidate was changed meanwhile.');
    const [before, after] = [await storedRouteRules(database), promoted.rules];
    const target = ROUTE_RULES_SETTING;
    return {
      // The rules come last: an answer names the last record, by which it is undone.
      audit: [
        { action: 'candidate_rules.promote', target, before: promoted, reason },
        { action: 'route_rules.replace', target, before, after, reason },
      ],
      statements: [
        ...writeCandidateRules(context, promoted, null, revision),
        ...writeSetting(database, target, { before, after }, context.now, revision + 1),
      ],
      result: after,
    };
  });
});
