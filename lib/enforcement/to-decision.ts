import type { RefusalCode } from '@/lib/contract/fields/refusal-code';
import type { Decision, Facts, LimitState, Refusal } from '@/lib/enforcement/decision';
import type { Plan } from '@/lib/enforcement/plan';
import type { Meter, Reading, SubjectKind, Verdict, Window } from '@/lib/limiter/meter';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import type { Millis, Seconds } from '@/lib/units';

const CODES = {
  ip: 'rate_limit_exceeded',
  client: 'client_rate_limit_exceeded',
  user: 'user_rate_limit_exceeded',
  quota: 'quota_exceeded',
} as const satisfies Record<SubjectKind, RefusalCode>;

const DESCRIPTIONS = {
  ip: 'Too many requests from this address.',
  client: 'Too many requests from this client.',
  user: 'Too many requests from this user.',
  quota: 'The monthly quota of this API key is used up.',
} as const satisfies Record<SubjectKind, string>;

/** Seconds of the longest month: a length for the window where the exact one does not matter. */
const MONTH_SECONDS = 31 * 86_400;

/** Whole seconds until a time, at least 1. */
export function secondsUntil(time: Millis, now: Millis): Seconds {
  return Math.max(1, Math.ceil((time - now) / 1000));
}

function windowSeconds(window: Window): Seconds {
  return window.kind === 'month' ? MONTH_SECONDS : window.seconds;
}

function limitState(meter: Meter, reading: Reading, now: Millis): LimitState {
  return {
    subject: meter.subject,
    limit: reading.limit,
    remaining: reading.remaining,
    reset: Math.ceil(reading.reset / 1000),
    resetAfter: Math.max(0, Math.ceil((reading.reset - now) / 1000)),
    window: windowSeconds(meter.window),
  };
}

/** The limit closest to refusing: one that refuses, then the least remaining, then the order of subjects. */
function tightest(states: readonly LimitState[], refusing: readonly LimitState[]): LimitState | null {
  let best: LimitState | null = null;
  let bestRefuses = false;
  for (const state of states) {
    const refuses = refusing.includes(state);
    if (best === null || (refuses && !bestRefuses) || (refuses === bestRefuses && state.remaining < best.remaining)) {
      best = state;
      bestRefuses = refuses;
    }
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
    retryAt = Math.max(
      retryAt,
      Number.isFinite(reading.retryAt) ? reading.retryAt : now + windowSeconds(meter.window) * 1000,
    );
  }
  const decision = { class: plan.class, at: now, tightest: tightest(limits, refusing), limits, quota, degraded };
  const [first] = violated;
  if (first !== undefined) {
    const refusal: Refusal = {
      error: CODES[first],
      description: DESCRIPTIONS[first],
      retryAfter: secondsUntil(retryAt, now),
      violated,
    };
    return { ...decision, outcome: 'refused', refusal };
  }
  if (plan.invalidKey) {
    const refusal: Refusal = {
      error: 'invalid_api_key',
      description: 'The API key is unknown, revoked or expired.',
      retryAfter: null,
      violated: [],
    };
    return { ...decision, outcome: 'refused', refusal };
  }
  return {
    ...decision,
    outcome: plan.bypass === null ? (degraded ? 'degraded' : 'allowed') : 'bypassed',
    refusal: null,
  };
}

/** A refusal that no limit caused: by the throttle of the instance, or because the store is down. */
export function unavailable(
  plan: Pick<Plan, 'class'>,
  now: Millis,
  retryAfter: Seconds,
  description: string,
): Decision {
  const refusal: Refusal = {
    error: 'service_unavailable',
    description,
    retryAfter: Math.max(1, retryAfter),
    violated: [],
  };
  return {
    outcome: 'refused',
    class: plan.class,
    at: now,
    tightest: null,
    limits: [],
    quota: null,
    refusal,
    degraded: false,
  };
}

/** A decision as the statistics keep it. @param throttled whether the throttle of the instance refused it */
export function toEvent(facts: Facts, planned: Plan, decision: Decision, throttled = false): DecisionEvent {
  const subject = throttled ? 'global' : (decision.refusal?.violated[0] ?? planned.bypass?.subject ?? null);
  const position = planned.attempt.meters.findIndex((meter) => meter.subject === subject);
  return {
    at: decision.at,
    outcome: decision.outcome,
    class: decision.class,
    reason: decision.refusal?.error ?? null,
    subjectType: subject,
    identifier: planned.bypass?.identifier ?? planned.identifiers[position] ?? null,
    method: facts.method,
    path: facts.path,
    ip: facts.address?.text ?? null,
    userId: planned.userId,
    apiKeyId: planned.key?.id ?? null,
    requestId: facts.requestId,
    cost: planned.attempt.cost,
    overrideIds: planned.overrideIds,
  };
}
