import { registeredKey } from '@/lib/admin/keys/row';
import { quotaUsage } from '@/lib/admin/keys/usage';
import { getQuota as contract } from '@/lib/contract/quota';
import { revisionTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Returns the usage of a key's quota. */
export const getQuota = implement(contract, async (context, { params }) => {
  const { database, counters, rules } = context.services;
  const key = await registeredKey(database, params.api_key);
  const usage = await quotaUsage(counters, await rules.readFresh(), key, context.now);
  return new Reply(usage, { headers: { ETag: revisionTag(key.revision) } });
});
