import type { Check, CheckResult } from '@/lib/contract/check';
import { isUuid } from '@/lib/contract/fields/ids';
import { pathOf } from '@/lib/enforcement/canonical-path';
import type { Decision, Facts } from '@/lib/enforcement/decision';
import { parseAddress } from '@/lib/limiter/address';

/** The facts in a check about a request that another server serves. */
export function factsOf(check: Check, requestId: string): Facts {
  const facts: Facts = {
    method: check.method ?? null,
    path: check.path === undefined ? null : pathOf(check.path),
    address: check.ip === undefined ? undefined : parseAddress(check.ip),
    requestId,
  };
  if (check.class !== undefined) facts.class = check.class;
  if (check.user_id !== undefined) facts.userId = check.user_id;
  if (check.client_id !== undefined) facts.client = { id: check.client_id, type: check.client_type ?? 'public' };
  if (check.cost !== undefined) facts.cost = check.cost;
  if (check.api_key === undefined) return facts;
  if (isUuid(check.api_key)) facts.apiKeyId = check.api_key.toLowerCase();
  else facts.apiKey = check.api_key;
  return facts;
}

/** The body of the answer to a check. */
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
