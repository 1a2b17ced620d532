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

/** A candidate limit, as decisions use it. */
export interface CandidateRecord {
  /** Id of the candidate. It precedes the window in the keys of its counters. */
  id: string;
  limit: number;
  window: Window;
  endsAt: Millis | null;
}

/** The candidates of all limits, by the limit that they shadow. */
export type Candidates = ReadonlyMap<CandidatePlace, CandidateRecord>;

/** Candidate route rules, as decisions use them. */
export interface CandidateRulesRecord {
  /** Id of the candidate. It precedes the window in the keys of its counters. */
  id: string;
  rules: readonly CompiledRule[];
  endsAt: Millis | null;
}

/** An additional attempt of a request, by which a candidate decides. It has separate counters, see `candidateKey`. */
export interface CandidateTrial extends Attempt {
  id: string;
  /** First and end position of the live limits that it shadows, in the attempt of the request. */
  from: number;
  until: number;
  /** The first of these limits, and the subject that it counts. */
  live: Meter;
  identifier: string | undefined;
}

/** @returns null if there are no candidates, so that requests skip the look-up */
export function readCandidates(value: unknown): { candidates: Candidates | null } {
  const stored = StoredCandidatesSchema.parse(value);
  return { candidates: stored.length === 0 ? null : new Map(stored.map((one) => [one.place, toRecord(one)])) };
}

function toRecord({ id, limit, window_seconds: seconds, ends_at: end }: StoredCandidate): CandidateRecord {
  return { id, limit, window: { kind: 'sliding', seconds }, endsAt: end === null ? null : Date.parse(end) };
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
interface TriedRequest {
  class: EndpointClass;
  cost: number;
  limited: RateLimited;
}

/** Rate limits of a request. */
interface RateLimited {
  meters: readonly Meter[];
  identifiers: readonly string[];
  clientType: ClientType | null;
  /** If true, the client counts under the rate of its tier instead. */
  hasTierRate: boolean;
  addressOverride: object | null;
  userOverride: object | null;
}

/** Places of the limits of each class. They are built once, because each decision looks up several. */
const PLACES = Object.fromEntries(
  ENDPOINT_CLASSES.map((name) => [name, { ip: `classes.${name}.ip`, user: `classes.${name}.user` }]),
) as { [Name in EndpointClass]: { ip: `classes.${Name}.ip`; user: `classes.${Name}.user` } };

/** Returns the policy limit that a subject counts under, or null if the subject has a separate limit. */
function findPlace(subject: SubjectKind, { class: name, limited }: TriedRequest): CandidatePlace | null {
  if (subject === 'ip') return limited.addressOverride === null ? PLACES[name].ip : null;
  if (subject === 'user') return limited.userOverride === null ? PLACES[name].user : null;
  if (subject !== 'client' || limited.clientType === null || limited.hasTierRate) return null;
  return limited.clientType === 'public' ? 'clients.public' : 'clients.confidential';
}

/** Selects the active candidates for a request. The cost of the request must be above 0. */
export function selectTrials(candidates: Candidates, request: TriedRequest, now: Millis): readonly CandidateTrial[] {
  const { cost, limited } = request;
  const trials: CandidateTrial[] = [];
  for (const [from, live] of limited.meters.entries()) {
    const place = findPlace(live.subject, request);
    const candidate = place === null ? undefined : candidates.get(place);
    if (candidate === undefined || !isActive(candidate, now)) continue;
    const { id, limit, window } = candidate;
    const meters = [createShadow(live, id, limit, window)];
    trials.push({ id, from, until: from + 1, live, identifier: limited.identifiers[from], meters, cost });
  }
  return trials.length === 0 ? NO_TRIALS : trials;
}

/** The limits of a request, and its cost. */
interface Limited {
  meters: readonly Meter[];
  cost: number;
}

/**
 * Builds the trial of route rules: the request with the limits and the cost that the rules give it.
 * @param live rate limits of the request as it is decided; they come first in its attempt
 * @param identifiers identifiers of the live limits
 */
export function createRulesTrial(
  { id }: CandidateRulesRecord,
  live: Limited,
  shadow: Limited,
  identifiers: readonly string[],
): CandidateTrial | null {
  const [first] = live.meters;
  if (first === undefined || live.cost === 0) return null;
  const meters = shadow.meters.map((meter) => createShadow(meter, id, meter.limit, meter.window));
  return { id, from: 0, until: live.meters.length, live: first, identifier: identifiers[0], meters, cost: shadow.cost };
}

/**
 * Returns the identifier that a meter counts. An IPv6 address counts as its /64, which is the second part of the key.
 */
function findIdentifier({ subject, key }: Meter, identifier = ''): string {
  if (subject !== 'ip') return identifier;
  const start = key.indexOf('|') + 1;
  return key.slice(start, key.indexOf('|', start));
}

/** Builds the meter of a candidate that shadows a live meter. */
function createShadow({ subject, key }: Meter, id: string, limit: number, window: Window): Meter {
  const seconds = window.kind === 'sliding' ? window.seconds : 0;
  return { subject, key: buildCandidateKey(key, id, seconds), limit, window };
}

/**
 * Builds the key of a candidate's counter: the live key, with the id before the window. A reset that selects live
 * counters by a prefix therefore clears both. Counters of earlier versions, whose keys end in the id, expire unused.
 *
 * The key has at most 128 bytes: ids are short, and no subject with a candidate has the longest key.
 */
function buildCandidateKey(live: string, id: string, seconds: Seconds): string {
  return `${live.slice(0, live.lastIndexOf('|'))}|${id}|${seconds}`;
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
  return { id, identifier: findIdentifier(trial.live, trial.identifier), would: own.admitted ? 'allow' : 'refuse' };
}
