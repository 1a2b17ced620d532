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
import type { Millis, Seconds } from '@/lib/units';

/** A candidate limit as decisions need it. */
export interface CandidateRecord {
  /** Ends the keys of its counters. */
  id: string;
  limit: number;
  window: Window;
  endsAt: Millis | null;
}

/** The candidates of all limits, by the limit that they shadow. */
export type Candidates = ReadonlyMap<CandidatePlace, CandidateRecord>;

/** Candidate route rules as decisions need them. */
export interface CandidateRulesRecord {
  /** Ends the keys of their counters. */
  id: string;
  rules: readonly CompiledRule[];
  endsAt: Millis | null;
}

/** One more attempt of a request, by which a candidate decides. It has counters of its own, see `candidateKey`. */
export interface CandidateTrial extends Attempt {
  id: string;
  /** The live limits that it shadows: those from one position to before another, in the attempt of the request. */
  from: number;
  until: number;
  /** The first of them, and whom it counts. */
  live: Meter;
  identifier: string | undefined;
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

/** Whether there are any. Requests are checked for candidates only then. */
export function triesSome(rules: { candidates: object | null; candidateRules: object | null }): boolean {
  return rules.candidates !== null || rules.candidateRules !== null;
}

/** Whether a candidate is tried at this time. */
export function isTried({ endsAt }: { endsAt: Millis | null }, now: Millis): boolean {
  return endsAt === null || endsAt > now;
}

export const NO_TRIALS: readonly CandidateTrial[] = [];

/** The facts of a request that select its candidates. */
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

/** Selects the candidates that are tried with a request that costs something. */
export function selectTrials(candidates: Candidates, request: TriedRequest, now: Millis): readonly CandidateTrial[] {
  const { cost, limited } = request;
  const trials: CandidateTrial[] = [];
  for (const [from, live] of limited.meters.entries()) {
    const place = placeOf(live.subject, request);
    const candidate = place === null ? undefined : candidates.get(place);
    if (candidate === undefined || !isTried(candidate, now)) continue;
    const { id, limit, window } = candidate;
    const meters = [shadowOf(live, id, limit, window)];
    trials.push({ id, from, until: from + 1, live, identifier: limited.identifiers[from], meters, cost });
  }
  return trials.length === 0 ? NO_TRIALS : trials;
}

/** The limits of a request, and what it costs. */
interface Limited {
  meters: readonly Meter[];
  cost: number;
}

/**
 * The trial of route rules: the request under the limits of the class, and at the cost, that they give it.
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
  const meters = tried.meters.map((meter) => shadowOf(meter, id, meter.limit, meter.window));
  return { id, from: 0, until: live.meters.length, live: first, identifier: identifiers[0], meters, cost: tried.cost };
}

/** Whom a meter counts; an IPv6 address is counted as its /64, which is the second part of the key. */
function identifierOf({ subject, key }: Meter, identifier = ''): string {
  if (subject !== 'ip') return identifier;
  const start = key.indexOf('|') + 1;
  return key.slice(start, key.indexOf('|', start));
}

/** The meter of a candidate that shadows a live one. */
function shadowOf({ subject, key }: Meter, id: string, limit: number, window: Window): Meter {
  const seconds = window.kind === 'sliding' ? window.seconds : 0;
  return { subject, key: candidateKey(key, id, seconds), limit, window };
}

/**
 * The key of a candidate's counter: that of the live one, with the id before the window. A reset that selects the live
 * counter by a prefix clears both, and the counters of earlier versions, whose keys end in the id, are left to expire. It
 * has at most 128 bytes: ids are short, and no subject that has a candidate has the longest key.
 */
function candidateKey(live: string, id: string, seconds: Seconds): string {
  return `${live.slice(0, live.lastIndexOf('|'))}|${id}|${seconds}`;
}

/** Whether a counter belongs to a candidate: its key has one part more than that of a live one. */
export function isCandidateKey(key: string): boolean {
  return key.split('|').length > 4;
}

/**
 * Compares the verdict of a candidate with the verdict on the request itself. Every request that reaches the live limit
 * reaches the candidate, whatever other limits decide. It allows nothing that another limit refuses.
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
