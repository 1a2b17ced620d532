import { type Item, serializeList } from 'structured-headers';
import type { Decision, LimitState } from '@/lib/enforcement/decision';

/** Sent only with `SLUICE_IETF_HEADERS`: some clients ignore all other headers beside them. */
export const IETF_HEADERS: readonly string[] = ['RateLimit-Policy', 'RateLimit'];

/** All headers of decisions, in the order of the documentation. */
export const DECISION_HEADERS: readonly string[] = [
  ...stateHeaders('X-RateLimit'),
  'X-RateLimit-Status',
  ...stateHeaders('X-Quota'),
  'Retry-After',
  ...IETF_HEADERS,
];

/**
 * The headers of a decision (contract, section 3).
 * @param ietf also send `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11), whose `t` are delta
 *   seconds where `X-RateLimit-Reset` is a Unix time
 */
export function decisionHeaders(decision: Decision, ietf: boolean): Record<string, string> {
  const headers: Record<string, string> = {};
  const { tightest, quota, refusal } = decision;
  if (decision.outcome === 'bypassed') headers['X-RateLimit-Status'] = 'bypassed';
  if (decision.degraded) headers['X-RateLimit-Status'] = 'degraded';
  for (const [name, state] of [['X-RateLimit', tightest] as const, ['X-Quota', quota] as const]) {
    if (state === null) continue;
    headers[`${name}-Limit`] = String(state.limit);
    headers[`${name}-Remaining`] = String(state.remaining);
    headers[`${name}-Reset`] = String(state.reset);
  }
  if (refusal?.retryAfter != null) headers['Retry-After'] = String(refusal.retryAfter);
  const all = [...decision.limits, ...(quota === null ? [] : [quota])];
  if (ietf && all.length > 0) {
    headers['RateLimit-Policy'] = serializeList(all.map((state) => item(state, { q: state.limit, w: state.window })));
    headers.RateLimit = serializeList(all.map((state) => item(state, { r: state.remaining, t: state.resetAfter })));
  }
  return headers;
}

function stateHeaders(prefix: string): string[] {
  return [`${prefix}-Limit`, `${prefix}-Remaining`, `${prefix}-Reset`];
}

function item({ subject }: LimitState, parameters: Record<string, number>): Item {
  return [subject, new Map(Object.entries(parameters))];
}
