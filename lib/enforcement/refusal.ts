import type { RefusalCode } from '@/lib/contract/fields/enumerations';
import { type LimitState, measureWindow, namePolicy } from '@/lib/enforcement/limit-state';
import type { Plan } from '@/lib/enforcement/plan';
import type { SubjectKind, Verdict } from '@/lib/limiter/meter';
import type { Millis, Seconds } from '@/lib/units';

/** The reason why a request is refused, as its answer states it. */
export interface Refusal {
  error: RefusalCode;
  description: string;
  /** Time after which one request fits, at least 1. Null if waiting does not help. */
  retryAfter: Seconds | null;
  /** All subjects that refused. */
  violated: readonly SubjectKind[];
  /** Position of the first meter that refused. Absent if no limit did. */
  position?: number;
  /** The named limit that refused first. */
  limitName?: string;
  /** Names of the policies that refused, if a named limit is among them. */
  policies?: readonly string[];
}

/** Lists the names of the policies that refused. Those of classes and quotas are their subjects. */
export function listViolated({ policies, violated }: Refusal): readonly string[] {
  return policies ?? violated;
}

/** Error and description for the first subject that refuses. */
const REFUSALS: Readonly<Record<SubjectKind, readonly [error: RefusalCode, description: string]>> = {
  ip: ['rate_limit_exceeded', 'Too many requests from this address.'],
  client: ['client_rate_limit_exceeded', 'Too many requests from this client.'],
  user: ['user_rate_limit_exceeded', 'Too many requests from this user.'],
  limit: ['rate_limit_exceeded', 'Too much for this limit.'],
  quota: ['quota_exceeded', 'The monthly quota of this API key is used up.'],
};

/** Returns whole seconds until a time, at least 1. */
export function countSecondsUntil(time: Millis, now: Millis): Seconds {
  return Math.max(1, Math.ceil((time - now) / 1000));
}

const LIMIT_NAMES: Readonly<Record<SubjectKind, string>> = {
  ip: 'limit of this address',
  client: 'limit of this client',
  user: 'limit of this user',
  limit: 'limit of this subject',
  quota: 'monthly quota of this API key',
};

function nameLimit({ subject, named }: LimitState): string {
  return named === undefined ? LIMIT_NAMES[subject] : `limit ${named.name}`;
}

/** Describes what refuses. */
function describeRefusal({ subject, named }: LimitState): string {
  if (named === undefined) return REFUSALS[subject][1];
  return named.isPlace ? `All places of the limit ${named.name} are taken.` : `The limit ${named.name} is reached.`;
}

/** @param states all limits of the request, in the order of its meters */
export function buildRefusal(states: readonly LimitState[], plan: Plan, verdict: Verdict, now: Millis): Refusal | null {
  const position = verdict.readings.findIndex(({ retryAt }) => retryAt !== null);
  const first = states[position];
  if (verdict.admitted || first === undefined) return null;
  const [error] = REFUSALS[first.subject];
  const refused = states.filter((_, index) => verdict.readings[index]?.retryAt !== null);
  const violated = [...new Set(refused.map(({ subject }) => subject))];
  const named = {
    ...(first.named === undefined ? {} : { limitName: first.named.name }),
    ...(violated.includes('limit') ? { policies: refused.map(namePolicy) } : {}),
  };
  const { meters, cost } = plan.attempt;
  // A limit of 0 is closed on purpose, regardless of the cost.
  for (const [index, state] of states.entries()) {
    const meterCost = meters[index]?.cost ?? cost;
    if (verdict.readings[index]?.retryAt === null || state.limit === 0 || meterCost <= state.limit) continue;
    const description = `The request costs ${meterCost}, the ${nameLimit(state)} is ${state.limit}.`;
    return { error, description, retryAfter: null, violated, position, ...named };
  }
  const fits = verdict.readings.map(({ retryAt }, index) => {
    const meter = plan.attempt.meters[index];
    if (retryAt === null || meter === undefined) return 0;
    return Number.isFinite(retryAt) ? retryAt : now + measureWindow(meter.window) * 1000;
  });
  const retryAfter = countSecondsUntil(Math.max(...fits), now);
  return { error, description: describeRefusal(first), retryAfter, violated, position, ...named };
}
