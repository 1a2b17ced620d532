import { readStoredCandidateRules } from '@/lib/admin/candidates/stored';
import { change } from '@/lib/admin/change';
import { replaceSetting } from '@/lib/admin/setting';
import { removeCandidateRules as contract } from '@/lib/contract/candidates';
import { CANDIDATE_RULES_SETTING, ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Ends a trial of route rules. */
export const removeCandidateRules = implement(contract, (context) =>
  change(context, async (revision) => {
    const before = await readStoredCandidateRules(context.services.database, context.now);
    if (before === null) throw new ApiError('not_found', 'No route rules are tried.');
    return {
      audit: { action: 'candidate_rules.remove', target: ROUTE_RULES_SETTING, before },
      statements: replaceSetting(context, CANDIDATE_RULES_SETTING, { before, after: null }, revision),
    };
  }),
);
