import { computeEffectivePolicies, readStoredPatch } from '@/lib/admin/policies/in-force';
import { readManagedHeader } from '@/lib/admin/setting';
import { getPolicies as contract } from '@/lib/contract/policies';
import { POLICIES_SETTING } from '@/lib/enforcement/rules-cache';
import { buildDocumentTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Returns the policies in force. */
export const getPolicies = implement(contract, async ({ services }) => {
  const policies = computeEffectivePolicies(services, await readStoredPatch(services));
  const managed = await readManagedHeader(services.database, POLICIES_SETTING);
  return new Reply(policies, { headers: { ETag: buildDocumentTag(policies), ...managed } });
});
