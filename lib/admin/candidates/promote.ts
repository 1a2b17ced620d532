import { readStoredCandidates } from '@/lib/admin/candidates/stored';
import { change } from '@/lib/admin/change';
import { planLimit, readStoredLimits, requireLimit } from '@/lib/admin/named-limits/stored';
import { planPolicies, readStoredPatch } from '@/lib/admin/policies/in-force';
import { replaceSetting } from '@/lib/admin/setting';
import { promoteCandidate as contract } from '@/lib/contract/candidates';
import { type StoredCandidate, splitPlace } from '@/lib/contract/fields/candidate';
import { type Limit, mergePatch, type PoliciesPatch } from '@/lib/contract/policies';
import { CANDIDATES_SETTING } from '@/lib/enforcement/rules-cache';
import { ApiError } from '@/lib/http/api-error';
import type { Context } from '@/lib/operation/context';
import { implement } from '@/lib/operation/operation';

/** Promotes a candidate to the live limit, and ends its trial. Writes two records of one change. */
export const promoteCandidate = implement(contract, (context, { body }) => {
  const { services, now } = context;
  const { place, reason = null } = body;
  return change(context, async (revision) => {
    const before = await readStoredCandidates(services.database, now);
    const promoted = before.find((candidate) => candidate.place === place);
    if (promoted === undefined) throw new ApiError('not_found', 'That limit has no candidate.');
    const { id = promoted.id, limit = promoted.limit, window_seconds = promoted.window_seconds } = body;
    if (id !== promoted.id || limit !== promoted.limit || window_seconds !== promoted.window_seconds)
      throw new ApiError('conflict', 'The candidate has changed.');
    const live = await planLive(context, promoted, revision + 1, reason);
    const rest = before.filter((candidate) => candidate !== promoted);
    return {
      // The limit comes last, because the answer returns the number of the last record for an undo.
      audit: [{ action: 'candidate.promote', target: place, before: promoted, reason }, live.audit],
      statements: [
        ...replaceSetting(context, CANDIDATES_SETTING, { before, after: rest }, revision),
        ...live.statements,
      ],
      result: live.result,
    };
  });
});

/** Plans the change of the live limit. @throws ApiError not_found if that named limit was removed */
async function planLive(context: Context, promoted: StoredCandidate, revision: number, reason: string | null) {
  const parts = splitPlace(promoted.place);
  if (parts.group !== 'limits') {
    const stored = await readStoredPatch(context.services);
    return planPolicies(
      context,
      { before: stored, after: mergePatch(stored, buildPoliciesPatch(parts, promoted)) },
      revision,
      reason,
    );
  }
  const stored = await readStoredLimits(context.services.database);
  const before = requireLimit(stored, parts.limit);
  const { windows = before.windows, in_flight: inFlight = before.in_flight } = promoted;
  const after = { ...before, windows, in_flight: inFlight };
  const { audit, statements } = planLimit(context, stored, { before, after }, revision);
  return { audit: { ...audit, reason }, statements, result: after };
}

type PolicyPlace = Exclude<ReturnType<typeof splitPlace>, { group: 'limits' }>;

function buildPoliciesPatch(parts: PolicyPlace, { limit, window_seconds }: StoredCandidate): PoliciesPatch {
  const own: Limit = { limit, window_seconds };
  if (parts.group === 'clients') return { clients: { [parts.client]: own } };
  return { classes: { [parts.class]: { [parts.subject]: own } } };
}
