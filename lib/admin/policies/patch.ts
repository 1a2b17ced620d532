import { change } from '@/lib/admin/change';
import { effectivePolicies, storedPatch } from '@/lib/admin/policies/in-force';
import { writeSetting } from '@/lib/admin/setting';
import { patchPolicies as contract, mergePatch } from '@/lib/contract/policies';
import { POLICIES_SETTING } from '@/lib/enforcement/rules-cache';
import { documentTag, requireMatch } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Changes limits, from the next decision on. */
export const patchPolicies = implement(contract, (context, { body }) => {
  const { services } = context;
  return change(context, async (revision) => {
    const stored = await storedPatch(services);
    const before = effectivePolicies(services, stored);
    requireMatch(context.facts.ifMatch, documentTag(before));
    const patch = mergePatch(stored, body);
    const documents = { before: stored, after: patch };
    const after = effectivePolicies(services, patch);
    return {
      audit: { action: 'policies.update', target: POLICIES_SETTING, before, after },
      statements: writeSetting(services.database, POLICIES_SETTING, documents, context.now, revision),
      result: new Reply(after, { headers: { ETag: documentTag(after) } }),
    };
  });
});
