import { type Item, serializeList } from 'structured-headers';
import { INCIDENT_STATUS } from '@/lib/contract/fields/incident';
import type { Decision } from '@/lib/enforcement/decision';
import { type LimitState, namePolicy } from '@/lib/enforcement/limit-state';
import { listViolated } from '@/lib/enforcement/refusal';

/**
 * Headers that are sent only with `SLUICE_IETF_HEADERS`, because some clients ignore all other headers if these are
 * present.
 */
export const IETF_HEADERS: readonly string[] = ['RateLimit-Policy', 'RateLimit'];

/** All headers of decisions, in the order of the documentation. */
export const DECISION_HEADERS: readonly string[] = [
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-RateLimit-Status'],
  ...['X-Quota-Limit', 'X-Quota-Remaining', 'X-Quota-Reset', 'Retry-After'],
  ...IETF_HEADERS,
];

/**
 * Builds the rate limit headers of a decision.
 * @param ietf also adds `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11); their `t` is in
 * delta seconds, while `X-RateLimit-Reset` is a Unix time
 * @param headers the object to add to; a new one by default
 */
export function buildDecisionHeaders(
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
    headers['RateLimit-Policy'] = serializeList(
      all.map((state) => buildItem(state, { q: state.limit, w: state.window })),
    );
    headers.RateLimit = serializeList(
      all.map((state) => buildItem(state, { r: state.remaining, t: computeWait(state, decision) })),
    );
  }
  return headers;
}

/** Returns `t` of a limit. It equals `Retry-After` if the limit refuses the request and is exhausted. */
function computeWait(state: LimitState, { refusal }: Decision): number {
  const { remaining, resetAfter } = state;
  const isExhausted = remaining === 0 && refusal !== null && listViolated(refusal).includes(namePolicy(state));
  return isExhausted ? (refusal?.retryAfter ?? resetAfter) : resetAfter;
}

function buildItem(state: LimitState, parameters: Record<string, number>): Item {
  return [namePolicy(state), new Map(Object.entries(parameters))];
}
