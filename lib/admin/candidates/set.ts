import { buildCandidateLimit, findLiveLimit, readLiveLimits } from '@/lib/admin/candidates/candidate-counts';
import { createTrialFields, readStoredCandidates } from '@/lib/admin/candidates/stored';
import { change } from '@/lib/admin/change';
import { haveSameMembers } from '@/lib/admin/change-kind/record';
import { replaceSetting } from '@/lib/admin/setting';
import { setCandidate as contract } from '@/lib/contract/candidates';
import { buildStoredNumbers, type StoredNumbers } from '@/lib/contract/fields/numbers';
import { CANDIDATES_SETTING } from '@/lib/enforcement/rules-cache';
import { createInvalidField } from '@/lib/http/input';
import { implement } from '@/lib/operation/operation';

/** Starts a trial of a limit that shadows the live one. Replaces a present trial of that limit. */
export const setCandidate = implement(contract, (context, { body }) => {
  const { services, now } = context;
  const { place, ends_at: end = null, reason } = body;
  const numbers = buildStoredNumbers(body);
  return change(context, async (revision) => {
    const live = await readLiveLimits(services);
    requireOther(findLiveLimit(live, { place }), numbers);
    const before = await readStoredCandidates(services.database, now);
    const replaced = before.find((candidate) => candidate.place === place);
    const after = { ...createTrialFields(context, revision, end, reason), place, ...numbers };
    const all = [...before.filter((candidate) => candidate !== replaced), after];
    const action = replaced === undefined ? 'candidate.set' : 'candidate.replace';
    return {
      audit: { action, target: place, before: replaced, after, reason },
      statements: replaceSetting(context, CANDIDATES_SETTING, { before, after: all }, revision),
      result: await buildCandidateLimit(services.database, after, live),
    };
  });
});

/**
 * Requires that the numbers of a candidate differ from those of the live limit, and that the live limit has such numbers.
 * @param live null if there is no named limit of this name
 * @throws ApiError invalid_request
 */
function requireOther(live: StoredNumbers | null, numbers: StoredNumbers): void {
  if (live === null) throw createInvalidField('place', 'must name a limit');
  const { windows, in_flight: inFlight } = numbers;
  if (windows !== undefined && live.windows === undefined)
    throw createInvalidField('windows', 'needs a limit with windows');
  if (inFlight !== undefined && live.in_flight === undefined)
    throw createInvalidField('in_flight', 'needs a limit with places in flight');
  const tried = { ...live, ...numbers };
  const field = windows !== undefined ? 'windows' : inFlight !== undefined ? 'in_flight' : 'limit';
  if (haveSameMembers(live, tried, ['limit', 'window_seconds', 'windows', 'in_flight']))
    throw createInvalidField(field, 'is that of the live limit');
}
