import { change } from '@/lib/admin/change';
import { addUses, planLimit, readStoredLimits, UNUSED } from '@/lib/admin/named-limits/stored';
import { formatTimestamp } from '@/lib/contract/fields/instant';
import { createLimit as contract } from '@/lib/contract/named-limits';
import { ApiError } from '@/lib/http/api-error';
import { implement, Reply } from '@/lib/operation/operation';

/** Creates a named limit, in force from the next decision on. */
export const createLimit = implement(contract, (context, { body }) =>
  change(context, async (revision) => {
    const stored = await readStoredLimits(context.services.database);
    if (stored.some(({ name }) => name === body.name)) throw new ApiError('conflict', 'Another limit has this name.');
    // The id is short and unique, because it names the counters.
    const origin = {
      id: `l${revision.toString(36)}`,
      created_at: formatTimestamp(context.now),
      created_by: context.actor.name,
    };
    const after = { ...body, ...origin };
    // Route rules, keys and overrides of a removed limit of this name apply to it.
    const [result = { ...after, used_by: UNUSED }] = await addUses(context, [after]);
    const { audit, statements } = planLimit(context, stored, { before: null, after }, revision);
    return {
      audit,
      statements,
      result: new Reply(
        { ...after, used_by: result.used_by },
        { headers: { Location: `${contract.path}/${body.name}` } },
      ),
    };
  }),
);
