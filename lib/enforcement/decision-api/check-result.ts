import type { CheckResult } from '@/lib/contract/check';
import { INCIDENT_STATUS } from '@/lib/contract/fields/incident';
import type { NamedLimitState } from '@/lib/contract/fields/named-limit';
import type { Decision } from '@/lib/enforcement/decision';
import type { LimitState } from '@/lib/enforcement/limit-state';
import type { Settlements } from '@/lib/enforcement/settlements';
import { createInvalidField } from '@/lib/http/input';

/**
 * Formats the result of `buildCheckResult` as JSON.
 * @param path position of the check in its batch, for the error
 * @throws ApiError invalid_request if a named limit does not exist
 */
export function formatCheckResult(decision: Decision, settlements: Pick<Settlements, 'createId'>, path = ''): string {
  const { outcome, tightest, quota, class: name, incident, charged, unknownLimit } = decision;
  // It was removed a moment ago, see `requireLimits`.
  if (unknownLimit !== undefined) throw createInvalidField(`${path}limits.${unknownLimit}.name`, 'must name a limit');
  const id = charged === undefined ? undefined : settlements.createId(charged);
  // Most answers take this path, which is four times as fast.
  if (
    outcome === 'allowed' &&
    tightest !== null &&
    quota === null &&
    incident === null &&
    (charged?.counts ?? 'all') === 'all'
  ) {
    const { limit, remaining, reset } = tightest;
    const limits = hasNamed(decision)
      ? `,"limits":[${listNamedStates(decision.limits).map(formatState).join(',')}]`
      : '';
    const quotedClass = name === null ? 'null' : `"${name}"`;
    const ending = id === undefined ? '}' : `,"id":"${id}"}`;
    return `{"allowed":true,"class":${quotedClass},"limit":${limit},"remaining":${remaining},"reset":${reset}${limits}${ending}`;
  }
  return JSON.stringify({ ...buildCheckResult(decision), id });
}

/** Formats the state of a named limit as JSON. Its name needs no escapes. */
function formatState({ name, limit, remaining, reset, window_seconds: window }: NamedLimitState): string {
  return `{"name":"${name}","limit":${limit},"remaining":${remaining},"reset":${reset},"window_seconds":${window}}`;
}

/** Returns whether named limits decided. They come last. */
function hasNamed({ limits }: Decision): boolean {
  return limits[limits.length - 1]?.named !== undefined;
}

/** Lists the tightest window of each named limit. The windows of one limit and subject follow one another. */
function listNamedStates(limits: readonly LimitState[]): NamedLimitState[] {
  const states: NamedLimitState[] = [];
  let last: LimitState['named'];
  for (const { named, limit, remaining, reset, window } of limits) {
    if (named === undefined) continue;
    const isSame = last?.name === named.name && last.subject === named.subject;
    last = named;
    if (isSame && remaining >= (states[states.length - 1]?.remaining ?? 0)) continue;
    if (isSame) states.pop();
    states.push({ name: named.name, limit, remaining, reset, window_seconds: window });
  }
  return states;
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
