import { addUses, readStoredLimits } from '@/lib/admin/named-limits/stored';
import { listLimits as contract } from '@/lib/contract/named-limits';
import { implement } from '@/lib/operation/operation';

/** Lists the named limits, sorted by name. */
export const listLimits = implement(contract, async (context) =>
  addUses(context, await readStoredLimits(context.services.database)),
);
