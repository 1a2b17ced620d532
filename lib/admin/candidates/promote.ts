import { storedCandidates, writeCandidates } from '@/lib/admin/candidates/stored';
import { change } from '@/lib/admin/change';
import { planPolicies, storedPatch } from '@/lib/admin/policies/in-force';
import { promoteCandidate as contract } from '@/lib/contract/candidates';
import { placeParts, type StoredCandidate } from '@/lib/contract/fields/candidate';
import { type Limit, mergePatch, type PoliciesPatch } from '@/lib/contract/policies';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Promotes a candidate to the live limit, and ends its trial. Writes two records of one change. */
export const promoteCandidate = implement(contract, (context, { body }) => {
  const { services, now } = context;
  const { place, reason = null } = body;
  return change(context, async (revision) => {
    const before = await storedCandidates(services.database, now);
    const promoted = before.find((candidate) => candidate.place === place);
    if (promoted === undefined) throw new ApiError('not_found', 'No candidate stands beside that limit.');
    const { limit = promoted.limit, window_seconds = promoted.window_seconds } = body;
    if (limit !== promoted.limit || window_seconds !== promoted.window_seconds)
      throw new ApiError('conflict', 'The candidate was changed meanwhile.');
    const stored = await storedPatch(services);
    const patches = { before: stored, after: mergePatch(stored, buildPoliciesPatch(promoted)) };
    const policies = planPolicies(context, patches, revision + 1, reason);
    const rest = before.filter((candidate) => candidate !== promoted);
    return {
      // The limit comes last, because the answer returns the number of the last record for an undo.
      audit: [{ action: 'candidate.promote', target: place, before: promoted, reason }, policies.audit],
      statements: [...writeCandidates(context, before, rest, revision), ...policies.statements],
      result: policies.result,
    };
  });
});

function buildPoliciesPatch({ place, limit, window_seconds }: StoredCandidate): PoliciesPatch {
  const parts = placeParts(place);
  const own: Limit = { limit, window_seconds };
  if (parts.group === 'clients') return { clients: { [parts.client]: own } };
  return { classes: { [parts.class]: { [parts.subject]: own } } };
}
