import {
  type CandidatePlace,
  type StoredCandidate,
  StoredCandidateRulesSchema,
  StoredCandidatesSchema,
} from '@/lib/contract/fields/candidate';
import type { ClientType } from '@/lib/contract/fields/enumerations';
import type { CompiledRule } from '@/lib/enforcement/classify';
import { compileRouteRules } from '@/lib/enforcement/route-rules';
import {
  type Attempt,
  ENDPOINT_CLASSES,
  type EndpointClass,
  type Meter,
  type Reading,
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

/** Candidate route rules as decisions need them. */
export interface CandidateRulesRecord {
  /** Ends the keys of their counters. */
  id: string;
  rules: readonly CompiledRule[];
  endsAt: Millis | null;
}

/** A candidate that is tried with a request: the attempt by which it decides. */
export interface CandidateTrial extends Attempt {
  id: string;
  /** The limits that it stands beside are those from one position to before another, in the attempt of the request. */
  from: number;
  until: number;
  /** The first of them, and whom it counts. */
  live: Meter;
  identifier: string | undefined;
  /** Attempts that only keep its counters. */
  keeping: readonly Attempt[];
}

/** @returns null without any, so that nothing is looked up for a request */
export function readCandidates(value: unknown): { candidates: Candidates | null } {
  const stored = StoredCandidatesSchema.parse(value);
  return { candidates: stored.length === 0 ? null : new Map(stored.map((one) => [one.place, recordOf(one)])) };
}

function recordOf({ id, limit, window_seconds: seconds, ends_at: end }: StoredCandidate): CandidateRecord {
  return { id, limit, window: { kind: 'sliding', seconds }, endsAt: end === null ? null : Date.parse(end) };
}

/** @returns null without any */
export function readCandidateRules(value: unknown): { candidate: CandidateRulesRecord | null } {
  const stored = StoredCandidateRulesSchema.nullable().parse(value);
  if (stored === null) return { candidate: null };
  const endsAt = stored.ends_at === null ? null : Date.parse(stored.ends_at);
  return { candidate: { id: stored.id, rules: compileRouteRules(stored.rules).rules, endsAt } };
}

/** Whether there are any: requests need not be asked then. */
export function triesSome(rules: { candidates: object | null; candidateRules: object | null }): boolean {
  return rules.candidates !== null || rules.candidateRules !== null;
}

/** Whether a candidate is tried at this time. */
export function isTried({ endsAt }: { endsAt: Millis | null }, now: Millis): boolean {
  return endsAt === null || endsAt > now;
}

export const NO_TRIALS: readonly CandidateTrial[] = [];
const NO_ATTEMPTS: readonly Attempt[] = [];

/** What is known of a request by which its candidates are found. */
interface TriedRequest {
  class: EndpointClass;
  cost: number;
  limited: RateLimited;
}

/** Its rate limits. */
interface RateLimited {
  meters: readonly Meter[];
  identifiers: readonly string[];
  clientType: ClientType | null;
  /** The client counts under the rate of its tier instead. */
  hasTierRate: boolean;
  addressOverride: object | null;
  userOverride: object | null;
}

/** The places of the limits of each class, ready for look-ups: each decision makes several. */
const PLACES = Object.fromEntries(
  ENDPOINT_CLASSES.map((name) => [name, { ip: `classes.${name}.ip`, user: `classes.${name}.user` }]),
) as { [Name in EndpointClass]: { ip: `classes.${Name}.ip`; user: `classes.${Name}.user` } };

/** The limit of the policies that a subject counts under; null for one that has its own. */
function placeOf(subject: SubjectKind, { class: name, limited }: TriedRequest): CandidatePlace | null {
  if (subject === 'ip') return limited.addressOverride === null ? PLACES[name].ip : null;
  if (subject === 'user') return limited.userOverride === null ? PLACES[name].user : null;
  if (subject !== 'client' || limited.clientType === null || limited.hasTierRate) return null;
  return limited.clientType === 'public' ? 'clients.public' : 'clients.confidential';
}

/** The candidates that are tried with a request that costs something. */
export function trialsOf(candidates: Candidates, request: TriedRequest, now: Millis): readonly CandidateTrial[] {
  const { cost, limited } = request;
  const { meters, identifiers } = limited;
  const trials: CandidateTrial[] = [];
  for (let beside = 0; beside < meters.length; beside += 1) {
    const live = meters[beside];
    if (live === undefined) continue;
    const place = placeOf(live.subject, request);
    const candidate = place === null ? undefined : candidates.get(place);
    if (candidate === undefined || !isTried(candidate, now)) continue;
    trials.push({
      id: candidate.id,
      from: beside,
      until: beside + 1,
      live,
      identifier: identifiers[beside],
      meters: [meterOf(candidate, live)],
      cost,
      isBrief: true,
      keeping: NO_ATTEMPTS,
    });
  }
  return trials.length === 0 ? NO_TRIALS : trials;
}

/** The limits of a request, and what it costs. */
interface Limited {
  meters: readonly Meter[];
  cost: number;
}

/**
 * The trial of route rules: the request under the limits of the class, and at the cost, that they give it. Where that is
 * another class, what the live one counts is not counted by them, and their counters have to know that.
 * @param live rate limits of the request as it is decided; they come first in its attempt
 * @param identifiers of the live limits
 */
export function trialOfRules(
  { id }: CandidateRulesRecord,
  live: Limited,
  tried: Limited,
  identifiers: readonly string[],
): CandidateTrial | null {
  const [first] = live.meters;
  if (first === undefined || live.cost === 0) return null;
  const beside = (meter: Meter) => startingAs(meter, meter.limit, id);
  const left = live.meters.filter(({ key }) => !tried.meters.some((meter) => meter.key === key));
  return {
    id,
    from: 0,
    until: live.meters.length,
    live: first,
    identifier: identifiers[0],
    meters: tried.meters.map(beside),
    cost: tried.cost,
    isBrief: true,
    keeping: left.length === 0 ? NO_ATTEMPTS : [{ meters: left.map(beside), cost: 0, isBrief: true }],
  };
}

/** Whom a meter counts; an IPv6 address is counted as its /64, which is the second part of the key. */
function identifierOf({ subject, key }: Meter, identifier = ''): string {
  if (subject !== 'ip') return identifier;
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
  if (isSame(window, live.window)) return startingAs(live, limit, id);
  const seconds = window.kind === 'sliding' ? window.seconds : 0;
  const own = `${key.slice(0, key.lastIndexOf('|'))}|${seconds}|${id}`;
  return { subject, key: own, limit, window, candidate: id, beside: key };
}

/** The counter of a candidate with the window of a live one. */
function startingAs({ subject, key, window }: Meter, limit: number, id: string): Meter {
  return { subject, key: `${key}|${id}`, limit, window, candidate: id, beside: key, startsAs: key };
}

function isSame(a: Window, b: Window): boolean {
  return a.kind === 'sliding' && b.kind === 'sliding' && a.seconds === b.seconds;
}

/**
 * Compares what a candidate has decided with the verdict on the request itself. It decides alone: every request that
 * comes to the limit beside it comes to it, whatever other limits say. What another limit refuses it does not allow.
 * @param own the verdict on the trial
 */
export function outcomeOf(trial: CandidateTrial, own: Verdict | undefined, live: Verdict): CandidateOutcome {
  if (own === undefined) throw new Error('The counter store left a verdict out.');
  const { id, from, until } = trial;
  if (own.admitted && live.admitted) return { id, identifier: null, would: null };
  const isFull = ({ retryAt }: Reading) => retryAt !== null;
  const refusedByOthers = live.readings.slice(0, from).some(isFull) || live.readings.slice(until).some(isFull);
  if (refusedByOthers || own.admitted !== live.readings.slice(from, until).some(isFull))
    return { id, identifier: null, would: null };
  return { id, identifier: identifierOf(trial.live, trial.identifier), would: own.admitted ? 'allow' : 'refuse' };
}
