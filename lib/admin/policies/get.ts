import { effectivePolicies, storedPatch } from '@/lib/admin/policies/in-force';
import { managedHeader } from '@/lib/admin/setting';
import { getPolicies as contract } from '@/lib/contract/policies';
import { POLICIES_SETTING } from '@/lib/enforcement/rules-cache';
import { documentTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Returns the policies in force. */
export const getPolicies = implement(contract, async ({ services }) => {
  const policies = effectivePolicies(services, await storedPatch(services));
  const managed = await managedHeader(services.database, POLICIES_SETTING);
  return new Reply(policies, { headers: { ETag: documentTag(policies), ...managed } });
});
