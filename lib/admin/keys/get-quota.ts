import { requireRegisteredKey } from '@/lib/admin/keys/row';
import { readQuotaUsage } from '@/lib/admin/keys/usage';
import { getQuota as contract } from '@/lib/contract/quota';
import { buildRevisionTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Returns the usage of a key's quota. */
export const getQuota = implement(contract, async (context, { params }) => {
  const { database, counters, rules } = context.services;
  const key = await requireRegisteredKey(database, params.api_key);
  const usage = await readQuotaUsage(counters, await rules.readFresh(), key, context.now);
  return new Reply(usage, { headers: { ETag: buildRevisionTag(key.revision) } });
});
