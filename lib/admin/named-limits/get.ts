import { addUses, requireLimit, storedLimits } from '@/lib/admin/named-limits/stored';
import { getLimit as contract } from '@/lib/contract/named-limits';
import { documentTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Returns one named limit. */
export const getLimit = implement(contract, async ({ services: { database } }, { params }) => {
  const stored = requireLimit(await storedLimits(database), params.name);
  const [limit = { ...stored, used_by: { route_rules: 0, api_keys: 0 } }] = await addUses(database, [stored]);
  return new Reply(limit, { headers: { ETag: documentTag(stored) } });
});
