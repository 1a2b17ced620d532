import { change } from '@/lib/admin/change';
import { computeEffectivePolicies, planPolicies, readStoredPatch } from '@/lib/admin/policies/in-force';
import { patchPolicies as contract, mergePatch } from '@/lib/contract/policies';
import { buildDocumentTag, requireMatch } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Changes limits, from the next decision on. */
export const patchPolicies = implement(contract, (context, { body }) =>
  change(context, async (revision) => {
    const before = await readStoredPatch(context.services);
    requireMatch(context.facts.ifMatch, buildDocumentTag(computeEffectivePolicies(context.services, before)));
    const { result, ...planned } = planPolicies(context, { before, after: mergePatch(before, body) }, revision);
    return { ...planned, result: new Reply(result, { headers: { ETag: buildDocumentTag(result) } }) };
  }),
);
