import { readSetting } from '@/lib/admin/setting';
import {
  type CandidatePlace,
  POLICY_PLACES,
  type StoredCandidate,
  type StoredCandidateRules,
  StoredCandidateRulesSchema,
  StoredCandidatesSchema,
} from '@/lib/contract/fields/candidate';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { Database } from '@/lib/db/database';
import { CANDIDATE_RULES_SETTING, CANDIDATES_SETTING } from '@/lib/enforcement/rules-cache';
import { createInvalidField } from '@/lib/http/input';
import type { Context } from '@/lib/operation/context';
import { DAY, type Millis } from '@/lib/units';

const PLACES: readonly string[] = POLICY_PLACES;

/** Position of a candidate in lists: policies in their order, then named limits. */
function computeSortKey(place: CandidatePlace): string {
  const position = PLACES.indexOf(place);
  return position < 0 ? place : String(position).padStart(2, '0');
}

/** Reads the candidate limits that have not ended, in the order of the policies. Those of named limits come last. */
export async function readStoredCandidates(database: Database, now: Millis): Promise<StoredCandidate[]> {
  const stored = StoredCandidatesSchema.parse((await readSetting(database, CANDIDATES_SETTING)) ?? []);
  return stored
    .filter(({ ends_at: end }) => end === null || Date.parse(end) > now)
    .sort((a, b) => (computeSortKey(a.place) < computeSortKey(b.place) ? -1 : 1));
}

/** Reads the candidate route rules. Null if there is no trial. */
export async function readStoredCandidateRules(database: Database, now: Millis): Promise<StoredCandidateRules | null> {
  const stored = (await readSetting(database, CANDIDATE_RULES_SETTING)) ?? null;
  const candidate = StoredCandidateRulesSchema.nullable().parse(stored);
  return candidate !== null && (candidate.ends_at === null || Date.parse(candidate.ends_at) > now) ? candidate : null;
}

const LONGEST_DAYS = 90;

/**
 * Creates the fields that every new candidate has.
 * @throws ApiError invalid_request if the end is past or too far ahead
 */
export function createTrialFields({ now, actor }: Context, revision: number, end: Millis | null, reason: string) {
  if (end !== null && end <= now) throw createInvalidField('ends_at', 'must lie in the future');
  if (end !== null && end > now + LONGEST_DAYS * DAY)
    throw createInvalidField('ends_at', `must lie at most ${LONGEST_DAYS} days ahead`);
  return {
    // Short and unique, because it names the counters.
    id: `c${revision.toString(36)}`,
    reason,
    ends_at: end === null ? null : formatTimestamp(end),
    created_at: formatTimestamp(now),
    created_by: actor.name,
  };
}
