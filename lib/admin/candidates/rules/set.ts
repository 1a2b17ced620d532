import { readCandidateCounts } from '@/lib/admin/candidates/candidate-counts';
import { createTrialFields, readStoredCandidateRules } from '@/lib/admin/candidates/stored';
import { change } from '@/lib/admin/change';
import { readStoredRouteRules, requireRuleLimits } from '@/lib/admin/route-rules/stored';
import { replaceSetting } from '@/lib/admin/setting';
import { setCandidateRules as contract } from '@/lib/contract/candidates';
import { CANDIDATE_RULES_SETTING, ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';
import { createInvalidField } from '@/lib/http/input';
import { buildDocumentTag } from '@/lib/operation/entity-tag';
import { implement } from '@/lib/operation/operation';

/** Starts a trial of route rules that shadow the live ones. Replaces a present trial. */
export const setCandidateRules = implement(contract, (context, { body }) => {
  const { services, now } = context;
  const { rules, ends_at: end = null, reason } = body;
  return change(context, async (revision) => {
    requireRuleLimits(rules, (await services.rules.readFresh()).limits, 'rules.');
    const live = await readStoredRouteRules(services.database);
    if (buildDocumentTag(rules) === buildDocumentTag(live)) throw createInvalidField('rules', 'are the live rules');
    const before = await readStoredCandidateRules(services.database, now);
    const after = { ...createTrialFields(context, revision, end, reason), rules };
    const action = before === null ? 'candidate_rules.set' : 'candidate_rules.replace';
    return {
      audit: { action, target: ROUTE_RULES_SETTING, before, after, reason },
      statements: replaceSetting(context, CANDIDATE_RULES_SETTING, { before, after }, revision),
      result: { ...after, ...(await readCandidateCounts(services.database, after.id)) },
    };
  });
});
