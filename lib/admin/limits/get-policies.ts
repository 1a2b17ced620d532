import { effectivePolicies, storedPatch } from '@/lib/admin/limits/settings';
import { getPolicies as contract } from '@/lib/contract/policies';
import { documentTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** The limits in force. */
export const getPolicies = implement(contract, async ({ services }) => {
  const policies = effectivePolicies(services, await storedPatch(services));
  return new Reply(policies, { headers: { ETag: documentTag(policies) } });
});
