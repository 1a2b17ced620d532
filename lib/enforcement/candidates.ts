import {
  type StoredCandidate,
  StoredCandidateRulesSchema,
  StoredCandidatesSchema,
  splitPlace,
} from '@/lib/contract/fields/candidate';
import type { CompiledRule } from '@/lib/enforcement/classify';
import { type OwnNumbers, readOwnNumbers, type WindowLimit } from '@/lib/enforcement/named-limits';
import { isShared, type PlannedAttempt, type PlannedMeter } from '@/lib/enforcement/planned-meter';
import { compileRouteRules } from '@/lib/enforcement/route-rules';
import { formatWindow } from '@/lib/limiter/counter-key';
import type { Reading, Verdict, Window } from '@/lib/limiter/meter';
import type { CandidateOutcome } from '@/lib/statistics/decision-event';
import type { Millis } from '@/lib/units';

/** A candidate limit, as decisions use it. */
export interface CandidateRecord extends OwnNumbers {
  /** Id of the candidate. It precedes the window in the keys of its counters. */
  readonly id: string;
  readonly endsAt: Millis | null;
}

/** The candidates of all limits, by the limit that they shadow (see `CandidatePlace`). */
export type Candidates = ReadonlyMap<string, CandidateRecord>;

/** Candidate route rules, as decisions use them. */
export interface CandidateRulesRecord {
  /** Id of the candidate. It precedes the window in the keys of its counters. */
  id: string;
  rules: readonly CompiledRule[];
  endsAt: Millis | null;
}

/**
 * An additional attempt of a request, by which a candidate decides. It has separate counters, see `buildCandidateKey`.
 */
export interface CandidateTrial extends PlannedAttempt {
  id: string;
  /** First and end position of the live limits that it shadows, in the attempt of the request. */
  from: number;
  until: number;
  /** The first of these limits. */
  live: PlannedMeter;
}

/** @returns null if there are no candidates, so that requests skip the look-up */
export function readCandidates(value: unknown): { candidates: Candidates | null } {
  const stored = StoredCandidatesSchema.parse(value);
  return { candidates: stored.length === 0 ? null : new Map(stored.map((one) => [one.place, convertCandidate(one)])) };
}

function convertCandidate(stored: StoredCandidate): CandidateRecord {
  const { id, place, limit, window_seconds: seconds, ends_at: end } = stored;
  const numbers =
    splitPlace(place).group === 'limits'
      ? readOwnNumbers(stored)
      : { windows: [{ limit, window: { kind: 'sliding', seconds } } as const], places: null };
  return { id, ...numbers, endsAt: end === null ? null : Date.parse(end) };
}

/** @returns null if there is no candidate */
export function readCandidateRules(value: unknown): { candidate: CandidateRulesRecord | null } {
  const stored = StoredCandidateRulesSchema.nullable().parse(value);
  if (stored === null) return { candidate: null };
  const endsAt = stored.ends_at === null ? null : Date.parse(stored.ends_at);
  return { candidate: { id: stored.id, rules: compileRouteRules(stored.rules).rules, endsAt } };
}

/** Returns whether there are any candidates. Only then requests are checked for them. */
export function hasCandidates(rules: { candidates: object | null; candidateRules: object | null }): boolean {
  return rules.candidates !== null || rules.candidateRules !== null;
}

/** Returns whether a candidate is active at this time. */
export function isActive({ endsAt }: { endsAt: Millis | null }, now: Millis): boolean {
  return endsAt === null || endsAt > now;
}

export const NO_TRIALS: readonly CandidateTrial[] = [];

/** Facts of a request that select its candidates. */
export interface TriedRequest {
  readonly cost: number;
  /** Rate limits of its class and its named limits. */
  readonly meters: readonly PlannedMeter[];
}

/** Selects the active candidates for a request. The cost of the request must be above 0. */
export function selectTrials(candidates: Candidates, request: TriedRequest, now: Millis): readonly CandidateTrial[] {
  const { meters, cost } = request;
  const trials: CandidateTrial[] = [];
  for (let from = 0, until = 0; from < meters.length; from = until) {
    const live = meters[from];
    if (live === undefined) break;
    until = findEnd(meters, from);
    const candidate = candidates.get(live.origin.place);
    if (candidate === undefined || !isActive(candidate, now)) continue;
    const [first, end] = findShadowedMeters(meters, { from, until }, candidate);
    const shadowed = meters.slice(first, end);
    const shadows = buildShadows(shadowed, candidate);
    if (shadows.length === 0) continue;
    trials.push({ id: candidate.id, from: first, until: end, live, meters: shadows, cost });
  }
  return trials.length === 0 ? NO_TRIALS : trials;
}

/** Returns the end position of the meters of one limit and subject. Those of a named limit are adjacent. */
function findEnd(meters: readonly PlannedMeter[], from: number): number {
  const named = meters[from]?.named;
  let until = from + 1;
  if (named === undefined) return until;
  while (meters[until]?.named?.name === named.name && meters[until]?.named?.subject === named.subject) until += 1;
  return until;
}

/** Returns the positions of the meters whose numbers a candidate tries. Windows come before places. */
function findShadowedMeters(
  meters: readonly PlannedMeter[],
  { from, until }: { from: number; until: number },
  { windows, places }: CandidateRecord,
): [from: number, until: number] {
  const hasPlaces = meters[until - 1]?.named?.isPlace === true;
  const edge = hasPlaces ? until - 1 : until;
  return [windows === null ? edge : from, places === null ? edge : until];
}

/** Builds the meters of a candidate. Empty if the subject has separate numbers, or if the limit has no such numbers. */
function buildShadows(shadowed: readonly PlannedMeter[], { id, windows, places }: CandidateRecord): PlannedMeter[] {
  if (shadowed.some(({ origin }) => !isShared(origin))) return [];
  const [window] = shadowed.filter(({ named }) => named?.isPlace !== true);
  const place = shadowed.find(({ named }) => named?.isPlace === true);
  const shadows = window === undefined ? [] : (windows ?? []).map((own) => createShadow(window, id, own));
  if (places !== null && place !== undefined) shadows.push(createShadow(place, id, places));
  return shadows;
}

/**
 * Builds the trial of route rules: the request with the limits and the cost that the rules give it.
 * @param live rate limits of the request as it is decided; they come first in its attempt
 */
export function createRulesTrial(
  { id }: CandidateRulesRecord,
  live: PlannedAttempt,
  shadow: PlannedAttempt,
): CandidateTrial | null {
  const [first] = live.meters;
  if (first === undefined || live.cost === 0) return null;
  const meters = shadow.meters.map((meter) => createShadow(meter, id, meter));
  return { id, from: 0, until: live.meters.length, live: first, meters, cost: shadow.cost };
}

/**
 * Returns the identifier that a meter counts. An IPv6 address counts as its /64, which is the second part of the key.
 */
function findIdentifier({ subject, key, identifier }: PlannedMeter): string {
  if (subject !== 'ip') return identifier;
  const start = key.indexOf('|') + 1;
  return key.slice(start, key.indexOf('|', start));
}

/** Builds the meter of a candidate that shadows a live meter. A settlement of the request settles both. */
function createShadow(live: PlannedMeter, id: string, { limit, window }: WindowLimit): PlannedMeter {
  const { subject, identifier, origin, cost, named } = live;
  const key = buildCandidateKey(live.key, id, window, named?.isPlace);
  const shadow: PlannedMeter = { subject, key, limit, window, identifier, origin };
  if (cost !== undefined) shadow.cost = cost;
  if (named !== undefined) shadow.named = named;
  return shadow;
}

/**
 * Builds the key of a candidate's counter: the live key, with the id before the window. A reset that selects live
 * counters by a prefix therefore clears both. Counters of earlier versions, whose keys end in the id, expire unused.
 *
 * The key has at most 128 bytes, because ids are short.
 */
function buildCandidateKey(live: string, id: string, window: Window, isPlace = false): string {
  return `${live.slice(0, live.lastIndexOf('|'))}|${id}|${formatWindow(window, isPlace)}`;
}

/** Returns whether a counter belongs to a candidate. Its key has one part more than that of a live counter. */
export function isCandidateKey(key: string): boolean {
  return key.split('|').length > 4;
}

/**
 * Compares the verdict of a candidate with the verdict on the request itself. Every request that reaches the live limit
 * reaches the candidate, regardless of other limits. A candidate never allows a request that another limit refuses.
 * @param own the verdict on the trial
 */
export function compareOutcome(trial: CandidateTrial, own: Verdict | undefined, live: Verdict): CandidateOutcome {
  if (own === undefined) throw new Error('The counter store left a verdict out.');
  const { id, from, until } = trial;
  if (own.admitted && live.admitted) return { id, identifier: null, would: null };
  const isFull = ({ retryAt }: Reading) => retryAt !== null;
  const refusedByOthers = live.readings.slice(0, from).some(isFull) || live.readings.slice(until).some(isFull);
  if (refusedByOthers || own.admitted !== live.readings.slice(from, until).some(isFull))
    return { id, identifier: null, would: null };
  return { id, identifier: findIdentifier(trial.live), would: own.admitted ? 'allow' : 'refuse' };
}
