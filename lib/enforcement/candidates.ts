import { type CandidatePlace, type StoredCandidate, StoredCandidatesSchema } from '@/lib/contract/fields/candidate';
import type { ClientType } from '@/lib/contract/fields/enumerations';
import {
  type Attempt,
  ENDPOINT_CLASSES,
  type EndpointClass,
  type Meter,
  type SubjectKind,
  type Verdict,
  type Window,
} from '@/lib/limiter/meter';
import type { CandidateOutcome } from '@/lib/statistics/decision-event';
import type { Millis } from '@/lib/units';

/** A candidate limit as decisions need it. */
export interface CandidateRecord {
  /** Ends the keys of its counters. */
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

/** The places of the limits of each class, ready for look-ups: each decision makes several. */
const PLACES = Object.fromEntries(
  ENDPOINT_CLASSES.map((name) => [name, { ip: `classes.${name}.ip`, user: `classes.${name}.user` }]),
) as { [Name in EndpointClass]: { ip: `classes.${Name}.ip`; user: `classes.${Name}.user` } };

/** The limit of the policies that a subject counts under; null for one that has its own. */
function placeOf(subject: SubjectKind, request: TriedRequest): CandidatePlace | null {
  if (subject === 'ip') return request.addressOverride === null ? PLACES[request.class].ip : null;
  if (subject === 'user') return request.userOverride === null ? PLACES[request.class].user : null;
  if (subject !== 'client' || request.clientType === null) return null;
  return request.clientType === 'public' ? 'clients.public' : 'clients.confidential';
}

/** The candidates that are tried with a request. */
export function trialsOf(candidates: Candidates, request: TriedRequest, now: Millis): readonly CandidateTrial[] {
  const { meters, cost } = request.attempt;
  if (cost === 0) return NO_TRIALS;
  const trials: CandidateTrial[] = [];
  for (const [beside, live] of meters.entries()) {
    const place = placeOf(live.subject, request);
    const candidate = place === null ? undefined : candidates.get(place);
    if (candidate === undefined || (candidate.endsAt !== null && candidate.endsAt <= now)) continue;
    const identifier = live.subject === 'ip' ? countedAddress(live) : request.identifiers[beside];
    if (identifier === undefined) continue;
    trials.push({ candidate, identifier, beside, attempt: { meters: [meterOf(candidate, live)], cost } });
  }
  return trials.length === 0 ? NO_TRIALS : trials;
}

/** The second part of a counter's key: an IPv6 address is counted as its /64. */
function countedAddress({ key }: Meter): string {
  const start = key.indexOf('|') + 1;
  return key.slice(start, key.indexOf('|', start));
}

/**
 * The counter of a candidate: its id after the key of the live counter, so that whatever selects the live one selects
 * both. Where the two have the same window it starts as that one. At most 128 bytes, because ids are short and no subject
 * that has a candidate has the longest key.
 */
function meterOf({ id, limit, window }: CandidateRecord, live: Meter): Meter {
  const { subject, key } = live;
  if (isSame(window, live.window)) return { subject, key: `${key}|${id}`, limit, window: live.window, startsAs: key };
  const seconds = window.kind === 'sliding' ? window.seconds : 0;
  return { subject, key: `${key.slice(0, key.lastIndexOf('|'))}|${seconds}|${id}`, limit, window };
}

function isSame(a: Window, b: Window): boolean {
  return a.kind === 'sliding' && b.kind === 'sliding' && a.seconds === b.seconds;
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
