import { change } from '@/lib/admin/change';
import { effectivePolicies, planPolicies, storedPatch } from '@/lib/admin/policies/in-force';
import { patchPolicies as contract, mergePatch } from '@/lib/contract/policies';
import { documentTag, requireMatch } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Changes limits, from the next decision on. */
export const patchPolicies = implement(contract, (context, { body }) =>
  change(context, async (revision) => {
    const before = await storedPatch(context.services);
    requireMatch(context.facts.ifMatch, documentTag(effectivePolicies(context.services, before)));
    const { result, ...planned } = planPolicies(context, { before, after: mergePatch(before, body) }, revision);
    return { ...planned, result: new Reply(result, { headers: { ETag: documentTag(result) } }) };
  }),
);
