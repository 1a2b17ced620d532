import type { CheckResult } from '@/lib/contract/check';
import { INCIDENT_STATUS } from '@/lib/contract/fields/incident';
import type { NamedLimitState } from '@/lib/contract/fields/named-limit';
import type { Decision } from '@/lib/enforcement/decision';
import type { LimitState } from '@/lib/enforcement/limit-state';
import type { Settlements } from '@/lib/enforcement/settlements';
import { invalidField } from '@/lib/http/input';

/**
 * Formats `checkResult` as JSON.
 * @param path position of the check in its batch, for the error
 * @throws ApiError invalid_request if a named limit does not exist
 */
export function formatCheckResult(decision: Decision, settlements: Pick<Settlements, 'createId'>, path = ''): string {
  const { outcome, tightest, quota, class: name, incident, charged, unknownLimit } = decision;
  // It was removed a moment ago, see `requireLimits`.
  if (unknownLimit !== undefined) throw invalidField(`${path}limits.${unknownLimit}.name`, 'must name a limit');
  if (charged !== undefined)
    return JSON.stringify({ ...buildCheckResult(decision), id: settlements.createId(charged) });
  // Most answers take this path, which is four times as fast.
  if (
    outcome === 'allowed' &&
    tightest !== null &&
    name !== null &&
    quota === null &&
    incident === null &&
    !hasNamed(decision)
  ) {
    const { limit, remaining, reset } = tightest;
    return `{"allowed":true,"class":"${name}","limit":${limit},"remaining":${remaining},"reset":${reset}}`;
  }
  return JSON.stringify(buildCheckResult(decision));
}

/** Returns whether named limits decided. They come last. */
function hasNamed({ limits }: Decision): boolean {
  return limits[limits.length - 1]?.named !== undefined;
}

/** Lists the tightest window of each named limit. */
function listNamedStates(limits: readonly LimitState[]): NamedLimitState[] {
  const states = new Map<string, LimitState>();
  for (const state of limits) {
    if (state.named === undefined) continue;
    const { name, subject } = state.named;
    const thing = `${name} ${subject}`;
    const tightest = states.get(thing);
    if (tightest === undefined || state.remaining < tightest.remaining) states.set(thing, state);
  }
  return [...states.values()].map(({ named, limit, remaining, reset, window }) => {
    return { name: named?.name ?? '', limit, remaining, reset, window_seconds: window };
  });
}

/** Builds the body of the answer to a check. */
export function buildCheckResult(decision: Decision): CheckResult {
  const { outcome, tightest, quota, refusal, charged } = decision;
  const result: CheckResult = {
    allowed: refusal === null,
    class: decision.class,
    limit: tightest?.limit ?? null,
    remaining: tightest?.remaining ?? null,
    reset: tightest?.reset ?? null,
  };
  if (decision.incident !== null) result.status = INCIDENT_STATUS[decision.incident];
  if (outcome === 'bypassed') result.status = 'bypassed';
  if (decision.degraded) result.status = 'degraded';
  const counts = charged?.counts ?? 'all';
  if (counts !== 'all') result.counts = counts;
  if (hasNamed(decision)) result.limits = listNamedStates(decision.limits);
  if (quota !== null) result.quota = { limit: quota.limit, remaining: quota.remaining, reset: quota.reset };
  if (decision.observed !== null) result.would_refuse = decision.observed.error;
  if (refusal === null) return result;
  result.error = refusal.error;
  result.error_description = refusal.description;
  if (refusal.limitName !== undefined) result.limit_name = refusal.limitName;
  if (refusal.retryAfter !== null) result.retry_after = refusal.retryAfter;
  return result;
}
