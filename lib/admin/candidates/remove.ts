import { readStoredCandidates, writeCandidates } from '@/lib/admin/candidates/stored';
import { change } from '@/lib/admin/change';
import { removeCandidate as contract } from '@/lib/contract/candidates';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Ends the trial of a limit. */
export const removeCandidate = implement(contract, (context, { body: { place } }) =>
  change(context, async (revision) => {
    const before = await readStoredCandidates(context.services.database, context.now);
    const removed = before.find((candidate) => candidate.place === place);
    if (removed === undefined) throw new ApiError('not_found', 'That limit has no candidate.');
    const after = before.filter((candidate) => candidate !== removed);
    return {
      audit: { action: 'candidate.remove', target: place, before: removed },
      statements: writeCandidates(context, before, after, revision),
      result: undefined,
    };
  }),
);
