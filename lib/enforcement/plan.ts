import { hashSecret } from '@/lib/auth/secret-hash';
import type { ClientType } from '@/lib/contract/fields/enumerations';
import type { Counted } from '@/lib/contract/route-rules';
import {
  type CandidateTrial,
  createRulesTrial,
  isActive,
  NO_TRIALS,
  selectTrials,
  type TriedRequest,
} from '@/lib/enforcement/candidates';
import type { CheckBatch } from '@/lib/enforcement/check-batch';
import { buildClassMeters } from '@/lib/enforcement/class-limits';
import { type CompiledRule, classify } from '@/lib/enforcement/classify';
import { type IncidentRecord, isWrite } from '@/lib/enforcement/incident';
import { buildLimitMeters, type LimitedSubject, listRuleLimits } from '@/lib/enforcement/named-limits';
import type { Origin, PlannedAttempt, PlannedMeter } from '@/lib/enforcement/planned-meter';
import { findQuotaCounter } from '@/lib/enforcement/quota-counter';
import type { RememberedCaller } from '@/lib/enforcement/remembered-caller';
import type { AllowRecord, KeyRecord, Rules } from '@/lib/enforcement/rules';
import type { Address } from '@/lib/limiter/address';
import type { EndpointClass } from '@/lib/limiter/meter';
import type { Millis, Seconds } from '@/lib/units';

/** Facts about a request before its decision. */
export interface Facts {
  /** Absent if the caller was looked up for this call. */
  caller?: RememberedCaller;
  method: string | null;
  /** Path without query. */
  path: string | null;
  /** Class that a check names. By default the route rules decide. Null if only the named limits decide. */
  class?: EndpointClass | null;
  /** The checks of the same call. Absent if none of them has named limits. */
  batch?: CheckBatch;
  /** Named limits of a check. */
  limits?: readonly LimitedSubject[];
  /** Time in which the costs of the named limits can be settled, if the caller wants to. */
  settleWithin?: Seconds;
  /** Lists the readings of a header, by its name in lower case. Absent if the headers are not available. */
  header?: (name: string) => readonly string[];
  /** Null without a trusted address: all such requests share one counter. Undefined: no address is counted. */
  address: Address | null | undefined;
  /** The secret in `X-API-Key`. */
  apiKey?: string;
  /** UUID of an API key, from a caller that has verified the secret itself. */
  apiKeyId?: string;
  /** An OAuth client, on the authorization server's endpoints. */
  client?: { id: string; type: ClientType };
  /** True if the caller has a session of the console. Set only for the lab's endpoints. */
  signedIn?: boolean;
  /** User of a verified token or session. */
  userId?: string;
  /** Cost that a check names. By default that of the route rule, or else 1. */
  cost?: number;
  /** True if the request is a CORS preflight. */
  preflight?: boolean;
  /** True if the caller may request a refund. */
  refundable?: boolean;
  requestId: string | null;
}

/** Class, limits and cost of a request under the rules of one revision. */
export interface Plan {
  /** Null if only named limits decide. */
  class: EndpointClass | null;
  /** Position of the route rule that chose the class. Null if the request or a default did. */
  rule: number | null;
  /** Kind of requests that count, by the status of their answers. All by default. */
  counts?: Counted;
  /** Its limits. The quota of its key is last. */
  attempt: PlannedAttempt;
  /** Candidate limits for the request. */
  trials: readonly CandidateTrial[];
  /** Cost of the request. Its attempt costs nothing if an incident refuses it. */
  cost: number;
  /** The current incident. */
  incident: IncidentRecord | null;
  /** True if the incident is read-only, and the request is a write. */
  closed: boolean;
  key: KeyRecord | null;
  /** Requests that grants add to the quota of the key. */
  granted: number;
  /** Position of the named limit of a check that does not exist. The check is then counted nowhere. */
  unknownLimit?: number | undefined;
  /** True if a check of the batch names a limit that does not exist. The whole batch is not counted. */
  isVoid?: true | undefined;
  /** True for a CORS preflight, which counts nowhere. */
  uncounted?: true | undefined;
  /** True if the API key of the request is missing from the rules, revoked or expired. */
  invalidKey: boolean;
  /** The allowlisted subject, and its most specific entry. */
  bypass: { subject: 'ip' | 'user'; identifier: string; entry: AllowRecord } | null;
  userId: string | null;
}

/**
 * Plans a request: its class, subjects and limits. Pure.
 * @param bypassing whether the allowlist applies; without it the plan contains the limits that would apply
 */
export function plan(rules: Rules, facts: Facts, now: Millis, bypassing = true): Plan {
  const classified = facts.class === undefined ? classifyByRules(rules.routeRules, facts) : NAMED;
  const { rule, counts = 'all', limits: ruleLimits } = classified;
  const endpointClass = facts.class === undefined ? classified.class : facts.class;
  const cost = facts.cost ?? classified.cost;
  const key = findKey(rules, facts, now);
  const invalidKey = key === null && (facts.apiKey !== undefined || facts.apiKeyId !== undefined);
  const userId = facts.userId ?? key?.userId ?? null;
  const incident = rules.findIncident(now);
  const closed = incident?.mode === 'read_only' && endpointClass !== null && isWrite(endpointClass, facts.method);

  const unknownLimit = facts.limits?.findIndex(({ name }) => !rules.limits.has(name)) ?? -1;
  const caller: Caller = { key, userId, incident };
  const bypass = bypassing ? findBypass(rules, facts, userId, now) : null;
  const uncounted = facts.preflight === true && !rules.policies.count_preflights;
  const isVoid = unknownLimit >= 0 || facts.batch?.hasValidLimits(rules.limits) === false;
  const isCounted = !uncounted && facts.caller?.isRefused !== true && !isVoid;
  const isLimited = bypass === null && isCounted;
  const limited =
    isLimited && endpointClass !== null ? buildClassMeters(rules, facts, caller, endpointClass, now) : UNLIMITED;
  let meters = limited;
  if (isLimited && (facts.limits !== undefined || ruleLimits !== undefined)) {
    const { limits: checkLimits = NO_LIMITS } = facts;
    const limits =
      ruleLimits === undefined ? checkLimits : [...checkLimits, ...listRuleLimits(ruleLimits, facts, caller)];
    // A request that an incident refuses costs nothing.
    const named = buildLimitMeters(rules, closed ? NO_LIMITS : limits, caller, now);
    meters = limited.length === 0 ? named : [...limited, ...named];
  }
  const paid = closed || uncounted ? 0 : cost;
  // The quota of a key has no candidate.
  const tried = { class: endpointClass, cost: paid, limited, meters };
  if (key !== null && isCounted && endpointClass !== null) {
    meters = [...meters, buildQuotaMeter(rules, key, now)];
  }
  return {
    class: endpointClass,
    rule,
    counts,
    attempt: { meters, cost: paid },
    trials: isCounted ? listTrials(rules, facts, caller, tried, now) : NO_TRIALS,
    cost,
    incident,
    closed,
    key,
    granted: key === null ? 0 : rules.sumGrants(key.id, now),
    uncounted: uncounted || undefined,
    unknownLimit: unknownLimit < 0 ? undefined : unknownLimit,
    isVoid: isVoid || undefined,
    invalidKey,
    bypass,
    userId,
  };
}

/** The sender of a request, and the current incident. */
interface Caller {
  key: KeyRecord | null;
  userId: string | null;
  incident: IncidentRecord | null;
}

const NO_LIMITS: readonly LimitedSubject[] = [];

/** Class and cost of a check that names its class, or only named limits. */
const NAMED = { class: null, cost: 1, rule: null, counts: 'all', limits: undefined } as const;

/** Limits of a request that bypasses. */
const UNLIMITED: readonly PlannedMeter[] = [];

/** Selects the candidates for a request. */
function listTrials(
  rules: Rules,
  facts: Facts,
  caller: Caller,
  live: TriedRequest & { class: EndpointClass | null; limited: readonly PlannedMeter[] },
  now: Millis,
): readonly CandidateTrial[] {
  const { candidates, candidateRules } = rules;
  if ((candidates === null && candidateRules === null) || live.cost === 0) return NO_TRIALS;
  const { class: endpointClass, limited, cost } = live;
  const trials = candidates === null ? NO_TRIALS : selectTrials(candidates, live, now);
  if (candidateRules === null || endpointClass === null || !isActive(candidateRules, now)) return trials;
  // If a check names the class of its request, the rules decide nothing.
  const shadow =
    facts.class === undefined ? classifyByRules(candidateRules.rules, facts) : { class: endpointClass, cost };
  const meters = shadow.class === endpointClass ? limited : buildClassMeters(rules, facts, caller, shadow.class, now);
  const trial = createRulesTrial(
    candidateRules,
    { meters: limited, cost },
    { meters, cost: facts.cost ?? shadow.cost },
  );
  return trial === null ? trials : [...trials, trial];
}

/** Classifies a request by route rules. */
function classifyByRules(rules: readonly CompiledRule[], { method, path, signedIn }: Facts) {
  return classify(rules, method ?? 'GET', path ?? '/', signedIn);
}

/** Builds the meter for the monthly quota of a key. */
function buildQuotaMeter(rules: Rules, key: KeyRecord, now: Millis): PlannedMeter {
  const { id, tier, overageAllowed } = key;
  const limit = rules.computeQuota(key, now);
  const origin: Origin = { kind: 'tier', id: tier, place: `tiers.${tier}` };
  const unlimited = overageAllowed && tier !== 'free';
  return { subject: 'quota', ...findQuotaCounter(key), limit, unlimited, identifier: id, origin };
}

function findKey(rules: Rules, facts: Facts, now: Millis): KeyRecord | null {
  if (facts.apiKey !== undefined) return rules.findKeyBySecretHash(hashSecret(facts.apiKey), now) ?? null;
  if (facts.apiKeyId !== undefined) return rules.findKeyById(facts.apiKeyId, now) ?? null;
  return null;
}

function findBypass(rules: Rules, facts: Facts, userId: string | null, now: Millis): Plan['bypass'] {
  const ofAddress = facts.address ? rules.findAllowedAddress(facts.address, now) : undefined;
  if (facts.address && ofAddress !== undefined)
    return { subject: 'ip', identifier: facts.address.text, entry: ofAddress };
  const ofUser = userId === null ? undefined : rules.findAllowedUser(userId, now);
  if (userId !== null && ofUser !== undefined) return { subject: 'user', identifier: userId, entry: ofUser };
  return null;
}
