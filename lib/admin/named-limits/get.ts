import { readLimitUses, readStoredLimits, requireLimit } from '@/lib/admin/named-limits/stored';
import { getLimit as contract } from '@/lib/contract/named-limits';
import { buildDocumentTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Returns one named limit. */
export const getLimit = implement(contract, async (context, { params }) => {
  const stored = requireLimit(await readStoredLimits(context.services.database), params.name);
  const addUses = await readLimitUses(context);
  return new Reply(addUses(stored), { headers: { ETag: buildDocumentTag(stored) } });
});
