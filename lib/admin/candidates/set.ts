import { counted, limitAt } from '@/lib/admin/candidates/counted';
import { storedCandidates, writeCandidates } from '@/lib/admin/candidates/stored';
import { change } from '@/lib/admin/change';
import { effectivePolicies, storedPatch } from '@/lib/admin/limits/settings';
import { setCandidate as contract } from '@/lib/contract/candidates';
import type { StoredCandidate } from '@/lib/contract/fields/candidate';
import { toInstant } from '@/lib/contract/fields/instant';
import { invalidField } from '@/lib/http/input';
import { implement } from '@/lib/operation/operation';
import { DAY } from '@/lib/statistics/step';

const LONGEST_DAYS = 90;

/** Tries a limit beside the live one, or another in the place of the one that is tried. */
export const setCandidate = implement(contract, (context, { body }) => {
  const { services, now, actor } = context;
  const { place, limit, window_seconds, ends_at: end = null, reason } = body;
  if (end !== null && end <= now) throw invalidField('ends_at', 'must lie in the future');
  if (end !== null && end > now + LONGEST_DAYS * DAY)
    throw invalidField('ends_at', `must lie at most ${LONGEST_DAYS} days ahead`);
  return change(context, async (revision) => {
    const policies = effectivePolicies(services, await storedPatch(services));
    const live = limitAt(policies, { place });
    if (live.limit === limit && live.window_seconds === window_seconds)
      throw invalidField('limit', 'is that of the live limit');
    const before = await storedCandidates(services.database, now);
    const replaced = before.find((candidate) => candidate.place === place);
    const after: StoredCandidate = {
      // Short, and never used again: its counters are named by it.
      id: `c${revision.toString(36)}`,
      ...{ place, limit, window_seconds, reason },
      ends_at: end === null ? null : toInstant(end),
      created_at: toInstant(now),
      created_by: actor.name,
    };
    const all = [...before.filter((candidate) => candidate !== replaced), after];
    return {
      audit: {
        action: replaced === undefined ? 'candidate.set' : 'candidate.replace',
        target: place,
        before: replaced,
        after,
        reason,
      },
      statements: writeCandidates(context, before, all, revision),
      result: await counted(services.database, after, policies),
    };
  });
});
