import { addUses, readStoredLimits, requireLimit, UNUSED } from '@/lib/admin/named-limits/stored';
import { getLimit as contract } from '@/lib/contract/named-limits';
import { buildDocumentTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Returns one named limit. */
export const getLimit = implement(contract, async (context, { params }) => {
  const stored = requireLimit(await readStoredLimits(context.services.database), params.name);
  const [limit = { ...stored, used_by: UNUSED }] = await addUses(context, [stored]);
  return new Reply(limit, { headers: { ETag: buildDocumentTag(stored) } });
});
