import { change } from '@/lib/admin/change';
import { planLimit, readLimitUses, readStoredLimits, requireLimit } from '@/lib/admin/named-limits/stored';
import { updateLimit as contract, NewNamedLimit } from '@/lib/contract/named-limits';
import { parseInput } from '@/lib/http/input';
import { buildDocumentTag, requireMatch } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Changes a named limit, in force from the next decision on. Its id stays, and with it the counters. */
export const updateLimit = implement(contract, (context, { params, body }) =>
  change(context, async (revision) => {
    const stored = await readStoredLimits(context.services.database);
    const before = requireLimit(stored, params.name);
    requireMatch(context.facts.ifMatch, buildDocumentTag(before));
    const { id, created_at, created_by, ...fields } = before;
    const after = { id, ...parseInput(NewNamedLimit, { ...fields, ...body }, 'body'), created_at, created_by };
    const addUses = await readLimitUses(context);
    const { audit, statements } = planLimit(context, stored, { before, after }, revision);
    return {
      audit,
      statements,
      result: new Reply(addUses(after), { headers: { ETag: buildDocumentTag(after) } }),
    };
  }),
);
