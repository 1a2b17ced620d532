import type { RefusalCode } from '@/lib/contract/fields/enumerations';
import { type LimitState, measureWindow } from '@/lib/enforcement/limit-state';
import type { Plan } from '@/lib/enforcement/plan';
import { listCosts } from '@/lib/limiter/costs';
import type { Meter, SubjectKind, Verdict } from '@/lib/limiter/meter';
import type { Millis, Seconds } from '@/lib/units';

/** The reason why a request is refused, as its answer states it. */
export interface Refusal {
  error: RefusalCode;
  description: string;
  /** Time after which one request fits, at least 1. Null if waiting does not help. */
  retryAfter: Seconds | null;
  /** All subjects that refused. */
  violated: readonly SubjectKind[];
}

/** Error and description for the first subject that refuses. */
const REFUSALS: Readonly<Record<SubjectKind, readonly [error: RefusalCode, description: string]>> = {
  ip: ['rate_limit_exceeded', 'Too many requests from this address.'],
  client: ['client_rate_limit_exceeded', 'Too many requests from this client.'],
  user: ['user_rate_limit_exceeded', 'Too many requests from this user.'],
  quota: ['quota_exceeded', 'The monthly quota of this API key is used up.'],
};

/** Returns whole seconds until a time, at least 1. */
export function secondsUntil(time: Millis, now: Millis): Seconds {
  return Math.max(1, Math.ceil((time - now) / 1000));
}

const LIMIT_NAMES: Readonly<Record<SubjectKind, string>> = {
  ip: 'limit of this address',
  client: 'limit of this client',
  user: 'limit of this user',
  quota: 'monthly quota of this API key',
};

/** Describes a refusal that waiting does not end: the request costs more than a whole window admits. */
function describeUnpayable(cost: number, { subject, limit }: Meter): string {
  return `The request costs ${cost}, the ${LIMIT_NAMES[subject]} is ${limit}.`;
}

/** @param refused the limits that refuse, in the order of subjects */
export function buildRefusal(
  refused: readonly LimitState[],
  plan: Plan,
  verdict: Verdict,
  now: Millis,
): Refusal | null {
  const [first] = refused;
  if (first === undefined) return null;
  const [error, description] = REFUSALS[first.subject];
  const violated = refused.map(({ subject }) => subject);
  const { meters, cost } = plan.attempt;
  const costs = listCosts(plan.attempt);
  // A limit of 0 is closed on purpose, regardless of the cost.
  const isUnpayable = ({ limit }: Meter, i: number) =>
    verdict.readings[i]?.retryAt !== null && limit > 0 && (costs?.[i] ?? cost) > limit;
  const position = meters.findIndex(isUnpayable);
  const unpayable = meters[position];
  if (unpayable !== undefined) {
    const description = describeUnpayable(costs?.[position] ?? cost, unpayable);
    return { error, description, retryAfter: null, violated };
  }
  const fits = verdict.readings.map(({ retryAt }, index) => {
    const meter = meters[index];
    if (retryAt === null || meter === undefined) return 0;
    return Number.isFinite(retryAt) ? retryAt : now + measureWindow(meter.window) * 1000;
  });
  return { error, description, retryAfter: secondsUntil(Math.max(...fits), now), violated };
}
