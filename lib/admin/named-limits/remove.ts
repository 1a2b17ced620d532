import { change } from '@/lib/admin/change';
import { planLimit, readStoredLimits, requireLimit } from '@/lib/admin/named-limits/stored';
import { removeLimit as contract } from '@/lib/contract/named-limits';
import { buildDocumentTag, requireMatch } from '@/lib/operation/entity-tag';
import { implement } from '@/lib/operation/operation';

/** Removes a named limit. Its counters expire unused, because a limit that is created again has another id. */
export const removeLimit = implement(contract, async (context, { params }) => {
  const removed = await change(context, async (revision) => {
    const stored = await readStoredLimits(context.services.database);
    const before = requireLimit(stored, params.name);
    requireMatch(context.facts.ifMatch, buildDocumentTag(before));
    const { audit, statements } = planLimit(context, stored, { before, after: null }, revision);
    return { audit, statements };
  });
  // A batch that names it is then refused before any of its checks is counted.
  await context.services.rules.refresh();
  return removed;
});
