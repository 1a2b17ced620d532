import type { CheckResult } from '@/lib/contract/check';
import type { Decision } from '@/lib/enforcement/decision';

/** What the caller of a check is told. */
export function checkResult(decision: Decision): CheckResult {
  const { outcome, tightest, quota, refusal } = decision;
  const result: CheckResult = {
    allowed: refusal === null,
    class: decision.class,
    limit: tightest?.limit ?? null,
    remaining: tightest?.remaining ?? null,
    reset: tightest?.reset ?? null,
  };
  if (outcome === 'bypassed') result.status = 'bypassed';
  if (decision.degraded) result.status = 'degraded';
  if (quota !== null) result.quota = { limit: quota.limit, remaining: quota.remaining, reset: quota.reset };
  if (refusal === null) return result;
  result.error = refusal.error;
  result.error_description = refusal.description;
  if (refusal.retryAfter !== null) result.retry_after = refusal.retryAfter;
  return result;
}
