import type { IncidentMode } from '@/lib/contract/fields/incident';
import { SETTLE_WITHIN } from '@/lib/contract/fields/named-limit';
import type { Limit } from '@/lib/contract/policies';
import type { Counted } from '@/lib/contract/route-rules';
import type { CounterRef } from '@/lib/counters/store';
import { findTightest, type LimitState, readLimit } from '@/lib/enforcement/limit-state';
import { findUsedShares, listLimitUses } from '@/lib/enforcement/limit-uses';
import { findLongestLease } from '@/lib/enforcement/named-limits';
import type { Facts, Plan } from '@/lib/enforcement/plan';
import type { NamedMeter, PlannedAttempt, PlannedMeter } from '@/lib/enforcement/planned-meter';
import { buildRefusal, countSecondsUntil, type Refusal } from '@/lib/enforcement/refusal';
import { formatAddressSubject } from '@/lib/limiter/address';
import { type EndpointClass, type SubjectKind, splitQuota, type Verdict } from '@/lib/limiter/meter';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import type { Millis, Seconds } from '@/lib/units';

/** One counter of an admitted request. */
export interface ChargedCounter extends CounterRef {
  /** Set if it differs from the cost of the request. */
  readonly cost?: number;
  readonly named?: Pick<NamedMeter, 'name' | 'isPlace'>;
}

/** Counts of an admitted request, for a refund or a settlement. */
export interface Charged {
  /** Revision of the rules that decided the request. */
  readonly revision: number;
  /** Time by the clock of the counter store. */
  readonly at: Millis;
  readonly cost: number;
  readonly counters: readonly ChargedCounter[];
  /** Kind of requests that count. All by default. */
  readonly counts?: Counted;
  /** Time in which the costs of named limits can be settled. Undefined if they cannot. */
  readonly settleWithin?: Seconds;
}

/** The decision on one request. */
export interface Decision {
  outcome: 'allowed' | 'bypassed' | 'degraded' | 'observed' | 'refused';
  /** Null if only named limits decided. */
  class: EndpointClass | null;
  at: Millis;
  /** The tightest of the rate limits, or the throttle that refused. Null if the request is bypassed or not counted. */
  tightest: LimitState<SubjectKind | 'global'> | null;
  /** All rate limits, without the quota. */
  limits: readonly LimitState[];
  quota: LimitState | null;
  refusal: Refusal | null;
  /** The refusal that the current incident suppressed (outcome `observed`). */
  observed: Refusal | null;
  /** Mode of the current incident. */
  incident: IncidentMode | null;
  /** True if this process decided on its own, because the counter store is down. */
  degraded: boolean;
  /** Position of the named limit of a check that does not exist. The check must be answered with 400. */
  unknownLimit?: number | undefined;
  /** Set if the decision can be refunded and was counted in the counter store. */
  charged?: Charged;
}

const INVALID_KEY: Refusal = {
  error: 'invalid_api_key',
  description: 'The API key is unknown, revoked or expired.',
  retryAfter: null,
  violated: [],
};

/**
 * Builds the decision that follows from the store's verdict. It uses one literal, and lists of their final length,
 * because a batch of hundreds waits for every allocation.
 */
export function convertVerdict(plan: Plan, verdict: Verdict, now: Millis, degraded: boolean): Decision {
  const { meters } = plan.attempt;
  const states = meters.map((meter, index) => {
    const reading = verdict.readings[index];
    if (reading === undefined) throw new Error('The counter store left a meter out.');
    return readLimit(meter, reading, now);
  });
  const { quota, limits } = splitQuota(states);
  const limited = verdict.admitted ? null : buildRefusal(states, plan, verdict, now);
  const observed = plan.incident?.mode === 'observe' ? limited : null;
  const byLimit = observed === null ? limited : null;
  const refusal = refuseWrite(plan, now) ?? byLimit ?? (plan.invalidKey ? INVALID_KEY : null);
  return {
    outcome: refusal !== null ? 'refused' : observed !== null ? 'observed' : findOutcome(plan, degraded),
    class: plan.class,
    at: now,
    tightest: (limited === null ? null : findTightest(listRefusingLimits(limits, verdict))) ?? findTightest(limits),
    limits,
    quota,
    refusal,
    observed: refusal === null ? observed : null,
    incident: plan.incident?.mode ?? null,
    degraded,
    unknownLimit: plan.unknownLimit,
  };
}

function listRefusingLimits(limits: readonly LimitState[], { readings }: Verdict): LimitState[] {
  return limits.filter((_, index) => readings[index]?.retryAt !== null);
}

/** Builds the decision that follows from a verdict of the store. Adds the counts if the decision can be refunded. */
export function buildDecision(
  facts: Facts,
  planned: Plan,
  verdict: Verdict,
  { revision, now }: { revision: number; now: Millis },
): Decision {
  const decision = convertVerdict(planned, verdict, now, false);
  const { attempt, counts = 'all' } = planned;
  const settleWithin = findSettleWithin(facts, attempt.meters);
  const isKept = facts.refundable === true || counts !== 'all' || settleWithin !== undefined;
  if (!isKept || decision.refusal !== null) return decision;
  // An observed request has consumed nothing.
  const counters = verdict.admitted ? attempt.meters : [];
  const charged = { revision, at: now, cost: attempt.cost, counters, counts };
  decision.charged = settleWithin === undefined ? charged : { ...charged, settleWithin };
  return decision;
}

/** Adds the counters of a candidate, because a refund or a settlement applies to them as well. */
export function addCharge(charged: Charged, { meters, cost }: PlannedAttempt): Charged {
  const counters = meters.map(({ key, window, cost: own = cost, named }) => {
    return named === undefined ? { key, window, cost: own } : { key, window, cost: own, named };
  });
  return { ...charged, counters: [...charged.counters, ...counters] };
}

/** Returns the time in which a check can be settled. A check that holds places can be settled until their leases end. */
function findSettleWithin({ settleWithin }: Facts, meters: readonly PlannedMeter[]): Seconds | undefined {
  const longest = findLongestLease(meters);
  return longest === 0 ? settleWithin : Math.max(settleWithin ?? SETTLE_WITHIN, longest);
}

function findOutcome({ bypass }: Plan, degraded: boolean): Decision['outcome'] {
  if (bypass !== null) return 'bypassed';
  return degraded ? 'degraded' : 'allowed';
}

/** Returns the refusal of a write during a read-only incident. */
function refuseWrite({ closed, incident }: Plan, now: Millis): Refusal | null {
  if (!closed || incident === null) return null;
  const description = 'Writes are refused for the time being: this service is read-only.';
  const retryAfter = countSecondsUntil(incident.until, now);
  return { error: 'service_unavailable', description, retryAfter, violated: [] };
}

/** Lets a refused request pass, because of an incident. */
export function suppressRefusal(decision: Decision): Decision {
  return { ...decision, outcome: 'observed', refusal: null, observed: decision.refusal };
}

/**
 * Builds a refusal that no limit of a subject caused: the throttle of the instance refused, or the store is down.
 * @param throttle the limit that the answer shows; null if the store is down, because no count can be read then
 */
export function refuseUnavailable(
  plan: Pick<Plan, 'class' | 'incident'>,
  now: Millis,
  wait: Seconds,
  description: string,
  throttle: Limit | null = null,
): Decision {
  const retryAfter = Math.max(1, wait);
  const refusal: Refusal = { error: 'service_unavailable', description, retryAfter, violated: [] };
  const tightest = throttle && readThrottle(throttle, now, retryAfter);
  const uncounted = { tightest, limits: [], quota: null, degraded: false };
  const incident = plan.incident?.mode ?? null;
  return { outcome: 'refused', class: plan.class, at: now, ...uncounted, refusal, observed: null, incident };
}

/** Returns the throttle as the limit of the request that it refuses. Its window is full. */
function readThrottle({ limit, window_seconds: window }: Limit, now: Millis, wait: Seconds): LimitState<'global'> {
  const resetAfter = Math.max(window, wait);
  const reset = Math.ceil(now / 1000) + resetAfter;
  return { subject: 'global', limit, used: limit, remaining: 0, reset, resetAfter, window };
}

/** Converts a decision to an event for the statistics. @param throttle the limit of the instance, if it refused */
export function buildDecisionEvent(
  facts: Facts,
  planned: Plan,
  decision: Decision,
  throttle: Limit | null = null,
): DecisionEvent {
  const refusal = decision.refusal ?? decision.observed;
  const refusing = refusal?.violated[0] ?? null;
  const subject = throttle === null ? (refusing ?? planned.bypass?.subject ?? null) : 'global';
  const position = refusal?.position ?? -1;
  const event: DecisionEvent = {
    at: decision.at,
    outcome: decision.outcome,
    class: decision.class,
    reason: refusal?.error ?? null,
    subjectType: subject,
    identifier: subject === null ? null : findIdentifier(subject, facts, planned, position),
    method: facts.method,
    path: facts.path,
    ip: facts.address?.text ?? null,
    userId: planned.userId,
    apiKeyId: planned.key?.id ?? null,
    requestId: facts.requestId,
    cost: planned.cost,
    overrideIds: listOverrideIds(planned),
    rangeUse: findRangeUse(facts, planned),
    candidates: NO_OUTCOMES,
    limitName: refusal?.limitName ?? null,
    limitUses: listLimitUses(planned, decision.limits),
    isReserved: facts.settleWithin !== undefined,
    usedShares: findUsedShares(decision.limits),
    refusedBy: null,
    retryAfter: refusal?.retryAfter ?? null,
    source: null,
    sourceId: null,
  };
  if (throttle !== null) {
    event.refusedBy = { limit: throttle.limit, window: throttle.window_seconds, used: null, reset: null };
    event.source = 'throttle';
  } else if (refusing !== null) {
    // Limits are in the order of the meters. A quota is last.
    event.refusedBy = refusing === 'quota' ? decision.quota : (decision.limits[position] ?? null);
    const { kind = null, id = null } = planned.attempt.meters[position]?.origin ?? {};
    event.source = kind;
    event.sourceId = id;
  } else if (planned.bypass !== null) {
    event.source = 'allowlist';
    event.sourceId = planned.bypass.entry.id;
  }
  if (planned.closed && throttle === null) {
    event.source = 'incident';
    event.sourceId = null;
  }
  return event;
}

/**
 * Returns the identifier of a subject: the address as it is counted (an IPv6 address as its /64), or else the
 * identifier that was bypassed, or that the meter at `position` counts.
 */
function findIdentifier(subject: SubjectKind | 'global', { address }: Facts, planned: Plan, position: number) {
  if (subject === 'ip' && address) return formatAddressSubject(address);
  return planned.bypass?.identifier ?? planned.attempt.meters[position]?.identifier ?? null;
}

const NONE: readonly string[] = [];
const NO_OUTCOMES: DecisionEvent['candidates'] = [];

/** Lists the overrides that give a request its numbers, each once. */
export function listOverrideIds({ attempt }: Pick<Plan, 'attempt'>): readonly string[] {
  let ids: string[] | null = null;
  for (const { origin } of attempt.meters) {
    if (origin.kind !== 'override' || origin.id === null || ids?.includes(origin.id)) continue;
    ids ??= [];
    ids.push(origin.id);
  }
  return ids ?? NONE;
}

function findRangeUse({ address }: Facts, { attempt, bypass }: Plan): DecisionEvent['rangeUse'] {
  if (!address) return null;
  if (bypass !== null) return bypass.subject === 'ip' ? { exception: bypass.entry.id, address } : null;
  // The first meter is that of the address.
  const { isRange, id } = attempt.meters[0]?.origin ?? {};
  return isRange === true && id != null ? { exception: id, address } : null;
}
