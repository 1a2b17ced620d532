import { type Item, serializeList } from 'structured-headers';
import { INCIDENT_STATUS } from '@/lib/contract/fields/incident';
import type { Decision } from '@/lib/enforcement/decision';
import type { LimitState } from '@/lib/enforcement/limit-state';

/** Sent only with `SLUICE_IETF_HEADERS`: some clients ignore all other headers beside them. */
export const IETF_HEADERS: readonly string[] = ['RateLimit-Policy', 'RateLimit'];

/** All headers of decisions, in the order of the documentation. */
export const DECISION_HEADERS: readonly string[] = [
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-RateLimit-Status'],
  ...['X-Quota-Limit', 'X-Quota-Remaining', 'X-Quota-Reset', 'Retry-After'],
  ...IETF_HEADERS,
];

/**
 * The rate limit headers of a decision.
 * @param ietf also send `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11), whose `t` are delta
 *   seconds where `X-RateLimit-Reset` is a Unix time
 * @param headers gets them; by default a new object
 */
export function decisionHeaders(
  decision: Decision,
  ietf: boolean,
  headers: Record<string, string> = {},
): Record<string, string> {
  const { tightest, quota, refusal } = decision;
  if (decision.incident !== null) headers['X-RateLimit-Status'] = INCIDENT_STATUS[decision.incident];
  if (decision.outcome === 'bypassed') headers['X-RateLimit-Status'] = 'bypassed';
  if (decision.degraded) headers['X-RateLimit-Status'] = 'degraded';
  if (tightest !== null) {
    headers['X-RateLimit-Limit'] = String(tightest.limit);
    headers['X-RateLimit-Remaining'] = String(tightest.remaining);
    headers['X-RateLimit-Reset'] = String(tightest.reset);
  }
  if (quota !== null) {
    headers['X-Quota-Limit'] = String(quota.limit);
    headers['X-Quota-Remaining'] = String(quota.remaining);
    headers['X-Quota-Reset'] = String(quota.reset);
  }
  if (refusal?.retryAfter != null) headers['Retry-After'] = String(refusal.retryAfter);
  if (!ietf) return headers;
  const all = [...decision.limits, ...(quota === null ? [] : [quota])];
  if (all.length > 0) {
    headers['RateLimit-Policy'] = serializeList(all.map((state) => item(state, { q: state.limit, w: state.window })));
    headers.RateLimit = serializeList(
      all.map((state) => item(state, { r: state.remaining, t: secondsToWait(state, decision) })),
    );
  }
  return headers;
}

/** `t` of a limit. It agrees with `Retry-After` if the limit refuses the request and nothing of it remains. */
function secondsToWait({ subject, remaining, resetAfter }: LimitState, { refusal }: Decision): number {
  const isExhausted = remaining === 0 && refusal?.violated.includes(subject) === true;
  return isExhausted ? (refusal?.retryAfter ?? resetAfter) : resetAfter;
}

function item({ subject }: LimitState, parameters: Record<string, number>): Item {
  return [subject, new Map(Object.entries(parameters))];
}
