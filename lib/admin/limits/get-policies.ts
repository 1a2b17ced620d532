import { effectivePolicies, storedPatch } from '@/lib/admin/limits/stored-policies';
import { getPolicies as contract } from '@/lib/contract/policies';
import { documentTag } from '@/lib/http/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** The limits in force. */
export const getPolicies = implement(contract, async ({ services }) => {
  const policies = effectivePolicies(services, await storedPatch(services));
  return new Reply(policies, { headers: { ETag: documentTag(policies) } });
});
