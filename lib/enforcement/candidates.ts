import { type CandidatePlace, type StoredCandidate, StoredCandidatesSchema } from '@/lib/contract/fields/candidate';
import type { ClientType } from '@/lib/contract/fields/enumerations';
import type { Attempt, EndpointClass, Meter, SubjectKind, Verdict, Window } from '@/lib/limiter/meter';
import type { CandidateOutcome } from '@/lib/statistics/decision-event';
import type { Millis } from '@/lib/units';

/** A candidate limit as decisions need it. */
export interface CandidateRecord {
  /** Begins the keys of its counters. */
  id: string;
  limit: number;
  window: Window;
  endsAt: Millis | null;
}

/** The candidates of all limits, by what they stand beside. */
export type Candidates = ReadonlyMap<CandidatePlace, CandidateRecord>;

/** One candidate of a request: what it is counted against, and whose limit that is. */
export interface CandidateTrial {
  candidate: CandidateRecord;
  /** An IPv6 address as its /64. */
  identifier: string;
  /** Position of the meter that it stands beside, in the attempt of the request. */
  beside: number;
  attempt: Attempt;
}

/** @returns null without any, so that nothing is looked up for a request */
export function readCandidates(value: unknown): { candidates: Candidates | null } {
  const stored = StoredCandidatesSchema.parse(value);
  return { candidates: stored.length === 0 ? null : new Map(stored.map((one) => [one.place, recordOf(one)])) };
}

function recordOf({ id, limit, window_seconds: seconds, ends_at: end }: StoredCandidate): CandidateRecord {
  return { id, limit, window: { kind: 'sliding', seconds }, endsAt: end === null ? null : Date.parse(end) };
}

export const NO_TRIALS: readonly CandidateTrial[] = [];

/** What is known of a request by which its candidates are found. */
interface TriedRequest {
  class: EndpointClass;
  clientType: ClientType | null;
  addressOverride: object | null;
  userOverride: object | null;
  attempt: Attempt;
  identifiers: readonly string[];
}

/** The limit of the policies that a subject counts under; null for one that has its own. */
function placeOf(subject: SubjectKind, request: TriedRequest): CandidatePlace | null {
  if (subject === 'ip') return request.addressOverride === null ? `classes.${request.class}.ip` : null;
  if (subject === 'user') return request.userOverride === null ? `classes.${request.class}.user` : null;
  return subject === 'client' && request.clientType !== null ? `clients.${request.clientType}` : null;
}

/** The candidates that are tried with a request. */
export function trialsOf(candidates: Candidates, request: TriedRequest, now: Millis): readonly CandidateTrial[] {
  const { meters, cost } = request.attempt;
  if (cost === 0) return NO_TRIALS;
  return meters.flatMap((live, beside) => {
    const place = placeOf(live.subject, request);
    const candidate = place === null ? undefined : candidates.get(place);
    const identifier = live.subject === 'ip' ? live.key.split('|')[1] : request.identifiers[beside];
    if (candidate === undefined || identifier === undefined) return [];
    if (candidate.endsAt !== null && candidate.endsAt <= now) return [];
    return { candidate, identifier, beside, attempt: { meters: [meterOf(candidate, live)], cost } };
  });
}

/**
 * The counter of a candidate: its id before the key of the live counter, with its own window. At most 128 bytes, because
 * ids are short and no subject that has a candidate has the longest key.
 */
function meterOf({ id, limit, window }: CandidateRecord, live: Meter): Meter {
  const seconds = window.kind === 'sliding' ? window.seconds : 0;
  const name = live.key.slice(0, live.key.lastIndexOf('|'));
  return { subject: live.subject, key: `${id}|${name}|${seconds}`, limit, window };
}

/**
 * Compares what a candidate has decided with the verdict on the request itself. It decides alone: every request that
 * comes to the limit beside it comes to it, whatever other limits say. What another limit refuses it does not allow.
 */
export function outcomeOf(trial: CandidateTrial, own: Verdict | undefined, live: Verdict): CandidateOutcome {
  if (own === undefined) throw new Error('The counter store left a verdict out.');
  const { candidate, identifier, beside } = trial;
  const refusedByOthers = live.readings.some(({ retryAt }, index) => retryAt !== null && index !== beside);
  const isLiveFull = live.readings[beside]?.retryAt != null;
  const differs = !refusedByOthers && own.admitted === isLiveFull;
  return { id: candidate.id, identifier, would: differs ? (own.admitted ? 'allow' : 'refuse') : null };
}
