import { readLimitUses, readStoredLimits } from '@/lib/admin/named-limits/stored';
import { listLimits as contract } from '@/lib/contract/named-limits';
import { implement } from '@/lib/operation/operation';

/** Lists the named limits, sorted by name. */
export const listLimits = implement(contract, async (context) => {
  const stored = await readStoredLimits(context.services.database);
  return stored.map(await readLimitUses(context));
});
