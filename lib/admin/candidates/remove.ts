import { readStoredCandidates } from '@/lib/admin/candidates/stored';
import { change } from '@/lib/admin/change';
import { replaceSetting } from '@/lib/admin/setting';
import { removeCandidate as contract } from '@/lib/contract/candidates';
import { CANDIDATES_SETTING } from '@/lib/enforcement/rules-cache';
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
      statements: replaceSetting(context, CANDIDATES_SETTING, { before, after }, revision),
    };
  }),
);
