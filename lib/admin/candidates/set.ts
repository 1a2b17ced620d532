import { buildCandidateLimit, limitAt } from '@/lib/admin/candidates/candidate-counts';
import { newTrial, storedCandidates, writeCandidates } from '@/lib/admin/candidates/stored';
import { change } from '@/lib/admin/change';
import { effectivePolicies, storedPatch } from '@/lib/admin/policies/in-force';
import { setCandidate as contract } from '@/lib/contract/candidates';
import { invalidField } from '@/lib/http/input';
import { implement } from '@/lib/operation/operation';

/** Starts a trial of a limit that shadows the live one. Replaces a present trial of that limit. */
export const setCandidate = implement(contract, (context, { body }) => {
  const { services, now } = context;
  const { place, limit, window_seconds, ends_at: end = null, reason } = body;
  return change(context, async (revision) => {
    const policies = effectivePolicies(services, await storedPatch(services));
    const live = limitAt(policies, { place });
    if (live.limit === limit && live.window_seconds === window_seconds)
      throw invalidField('limit', 'is that of the live limit');
    const before = await storedCandidates(services.database, now);
    const replaced = before.find((candidate) => candidate.place === place);
    const after = { ...newTrial(context, revision, end, reason), place, limit, window_seconds };
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
      result: await buildCandidateLimit(services.database, after, policies),
    };
  });
});
