import { readSetting, writeSetting } from '@/lib/admin/limits/settings';
import { CANDIDATE_PLACES, type StoredCandidate, StoredCandidatesSchema } from '@/lib/contract/fields/candidate';
import type { Database, Statement } from '@/lib/db/database';
import { CANDIDATES_SETTING } from '@/lib/enforcement/rules-cache';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

/** The candidates that have not ended, in the order of the policies. */
export async function storedCandidates(database: Database, now: Millis): Promise<StoredCandidate[]> {
  const stored = StoredCandidatesSchema.parse((await readSetting(database, CANDIDATES_SETTING)) ?? []);
  return stored
    .filter(({ ends_at: end }) => end === null || Date.parse(end) > now)
    .sort((a, b) => CANDIDATE_PLACES.indexOf(a.place) - CANDIDATE_PLACES.indexOf(b.place));
}

/** Stores all candidates, as part of a change. */
export function writeCandidates(
  { services, now }: Context,
  before: readonly StoredCandidate[],
  after: readonly StoredCandidate[],
  revision: number,
): Statement[] {
  return writeSetting(services.database, CANDIDATES_SETTING, { before, after }, now, revision);
}
