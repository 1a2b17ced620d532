import { change } from '@/lib/admin/change';
import { createLimitOrigin, planLimit, readLimitUses, readStoredLimits } from '@/lib/admin/named-limits/stored';
import { createLimit as contract } from '@/lib/contract/named-limits';
import { ApiError } from '@/lib/http/api-error';
import { implement, Reply } from '@/lib/operation/operation';

/** Creates a named limit, in force from the next decision on. */
export const createLimit = implement(contract, (context, { body }) =>
  change(context, async (revision) => {
    const stored = await readStoredLimits(context.services.database);
    if (stored.some(({ name }) => name === body.name)) throw new ApiError('conflict', 'Another limit has this name.');
    const after = { ...body, ...createLimitOrigin(context, revision) };
    // Route rules, keys and overrides of a removed limit of this name apply to it.
    const { used_by } = (await readLimitUses(context))(after);
    const { audit, statements } = planLimit(context, stored, { before: null, after }, revision);
    return {
      audit,
      statements,
      result: new Reply({ ...after, used_by }, { headers: { Location: `${contract.path}/${body.name}` } }),
    };
  }),
);
