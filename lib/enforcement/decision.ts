import type { RefusalCode } from '@/lib/contract/fields/enumerations';
import type { Limit } from '@/lib/contract/policies';
import type { Facts, Plan } from '@/lib/enforcement/plan';
import { subjectOf } from '@/lib/limiter/address';
import type { EndpointClass, Meter, Reading, SubjectKind, Verdict, Window } from '@/lib/limiter/meter';
import type { DecisionEvent, DecisionSource } from '@/lib/statistics/decision-event';
import type { Millis, Seconds } from '@/lib/units';

/** A limit as the caller sees it. */
export interface LimitState {
  subject: SubjectKind;
  limit: number;
  used: number;
  remaining: number;
  /** When the full limit is available again, Unix seconds. */
  reset: Seconds;
  /** The same in seconds from the decision. */
  resetAfter: Seconds;
  /** Length of the window. */
  window: Seconds;
}

/** Why a request is refused, as its answer says. */
interface Refusal {
  error: RefusalCode;
  description: string;
  /** At least 1: after this time one request fits. Null where waiting does not help. */
  retryAfter: Seconds | null;
  /** All subjects that refused. */
  violated: readonly SubjectKind[];
}

/** The answer to one request. */
export interface Decision {
  outcome: 'allowed' | 'bypassed' | 'degraded' | 'refused';
  class: EndpointClass;
  at: Millis;
  /** The tightest of the rate limits; null when bypassed or not counted. */
  tightest: LimitState | null;
  /** All rate limits, without the quota. */
  limits: readonly LimitState[];
  quota: LimitState | null;
  refusal: Refusal | null;
  /** Decided by this process alone, because the counter store is down. */
  degraded: boolean;
}

/** How the first subject that refuses is reported. */
const REFUSALS: Readonly<Record<SubjectKind, readonly [error: RefusalCode, description: string]>> = {
  ip: ['rate_limit_exceeded', 'Too many requests from this address.'],
  client: ['client_rate_limit_exceeded', 'Too many requests from this client.'],
  user: ['user_rate_limit_exceeded', 'Too many requests from this user.'],
  quota: ['quota_exceeded', 'The monthly quota of this API key is used up.'],
};

const INVALID_KEY: Refusal = {
  error: 'invalid_api_key',
  description: 'The API key is unknown, revoked or expired.',
  retryAfter: null,
  violated: [],
};

/** Whole seconds until a time, at least 1. */
export function secondsUntil(time: Millis, now: Millis): Seconds {
  return Math.max(1, Math.ceil((time - now) / 1000));
}

/** The longest month stands for all: the exact length does not matter. */
function windowSeconds(window: Window): Seconds {
  return window.kind === 'month' ? 31 * 86_400 : window.seconds;
}

function limitState(meter: Meter, reading: Reading, now: Millis): LimitState {
  return {
    subject: meter.subject,
    limit: reading.limit,
    used: reading.used,
    remaining: reading.remaining,
    reset: Math.ceil(reading.reset / 1000),
    resetAfter: Math.max(0, Math.ceil((reading.reset - now) / 1000)),
    window: windowSeconds(meter.window),
  };
}

/** The limit closest to refusing: one that refuses, then the least remaining, then the order of subjects. */
function tightest(states: readonly LimitState[], refusing: readonly LimitState[]): LimitState | null {
  let best: LimitState | null = null;
  for (const state of refusing.length > 0 ? refusing : states) {
    if (best === null || state.remaining < best.remaining) best = state;
  }
  return best;
}

/** The decision that follows from the store's verdict. */
export function toDecision(plan: Plan, verdict: Verdict, now: Millis, degraded: boolean): Decision {
  const { meters } = plan.attempt;
  const limits: LimitState[] = [];
  const refusing: LimitState[] = [];
  const violated: SubjectKind[] = [];
  let quota: LimitState | null = null;
  let retryAt = 0;
  for (let index = 0; index < meters.length; index += 1) {
    const meter = meters[index];
    const reading = verdict.readings[index];
    if (meter === undefined || reading === undefined) continue;
    const state = limitState(meter, reading, now);
    if (meter.subject === 'quota') quota = state;
    else limits.push(state);
    if (verdict.admitted || reading.retryAt === null) continue;
    violated.push(meter.subject);
    if (meter.subject !== 'quota') refusing.push(state);
    // A request that never fits is sent away for one window: waiting longer would not help either.
    const fits = Number.isFinite(reading.retryAt) ? reading.retryAt : now + windowSeconds(meter.window) * 1000;
    retryAt = Math.max(retryAt, fits);
  }
  const decision = { class: plan.class, at: now, tightest: tightest(limits, refusing), limits, quota, degraded };
  const [first] = violated;
  if (first !== undefined) {
    const [error, description] = REFUSALS[first];
    const refusal = { error, description, retryAfter: secondsUntil(retryAt, now), violated };
    return { ...decision, outcome: 'refused', refusal };
  }
  if (plan.invalidKey) return { ...decision, outcome: 'refused', refusal: INVALID_KEY };
  const admitted = degraded ? 'degraded' : 'allowed';
  return { ...decision, outcome: plan.bypass === null ? admitted : 'bypassed', refusal: null };
}

/** A refusal that no limit caused: by the throttle of the instance, or because the store is down. */
export function unavailable(plan: Pick<Plan, 'class'>, now: Millis, wait: Seconds, description: string): Decision {
  const refusal: Refusal = { error: 'service_unavailable', description, retryAfter: Math.max(1, wait), violated: [] };
  const uncounted = { tightest: null, limits: [], quota: null, degraded: false };
  return { outcome: 'refused', class: plan.class, at: now, ...uncounted, refusal };
}

/** A decision as the statistics keep it. @param throttle of the instance, where that refused it */
export function toEvent(facts: Facts, planned: Plan, decision: Decision, throttle: Limit | null = null): DecisionEvent {
  const { refusal } = decision;
  const refusing = refusal?.violated[0] ?? null;
  const subject = throttle === null ? (refusing ?? planned.bypass?.subject ?? null) : 'global';
  const position = planned.attempt.meters.findIndex((meter) => meter.subject === subject);
  const event: DecisionEvent = {
    at: decision.at,
    outcome: decision.outcome,
    class: decision.class,
    reason: refusal?.error ?? null,
    subjectType: subject,
    identifier: countedAs(subject, facts) ?? planned.bypass?.identifier ?? planned.identifiers[position] ?? null,
    method: facts.method,
    path: facts.path,
    ip: facts.address?.text ?? null,
    userId: planned.userId,
    apiKeyId: planned.key?.id ?? null,
    requestId: facts.requestId,
    cost: planned.attempt.cost,
    overrideIds: overrideIds(planned),
    refusedBy: null,
    retryAfter: refusal?.retryAfter ?? null,
    source: null,
    sourceId: null,
  };
  if (throttle !== null) {
    event.refusedBy = { limit: throttle.limit, window: throttle.window_seconds, used: null, reset: null };
    event.source = 'throttle';
  } else if (refusing !== null) {
    // Limits are in the order of the meters; a quota comes last.
    event.refusedBy = refusing === 'quota' ? decision.quota : (decision.limits[position] ?? null);
    event.source = sourceOf(planned, refusing);
    event.sourceId = sourceIdOf(planned, refusing);
  } else if (planned.bypass !== null) {
    event.source = 'allowlist';
    event.sourceId = planned.bypass.entry.id;
  }
  return event;
}

/** What an address is counted as, an IPv6 address as its /64; null for other subjects. */
function countedAs(subject: DecisionEvent['subjectType'], { address }: Facts): string | null {
  return subject === 'ip' && address ? subjectOf(address) : null;
}

function overrideOf({ addressOverride, userOverride }: Plan, subject: SubjectKind) {
  return subject === 'ip' ? addressOverride : userOverride;
}

/** Where the limit of a subject comes from. */
function sourceOf(planned: Plan, subject: SubjectKind): DecisionSource {
  if (subject === 'quota') return 'tier';
  if (subject === 'client') return 'client';
  return overrideOf(planned, subject) === null ? 'policy' : 'override';
}

function sourceIdOf(planned: Plan, subject: SubjectKind): string | null {
  if (subject === 'quota') return planned.key?.tier ?? null;
  if (subject === 'client') return planned.clientType;
  return overrideOf(planned, subject)?.id ?? null;
}

const NONE: readonly string[] = [];

function overrideIds({ addressOverride, userOverride }: Plan): readonly string[] {
  if (addressOverride === null) return userOverride === null ? NONE : [userOverride.id];
  return userOverride === null ? [addressOverride.id] : [addressOverride.id, userOverride.id];
}
