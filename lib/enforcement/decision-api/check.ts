import type { Decision, Facts } from '@/lib/enforcement/decision';
import { parseAddress } from '@/lib/limiter/address';
import type { Check, CheckResult } from '@/lib/schemas/check';
import { isUuid } from '@/lib/schemas/quota';
import type { Services } from '@/lib/services';

/**
 * Decides over a request that somebody else serves, and counts it when it is allowed.
 * @throws StoreUnavailable when too many decisions wait
 */
export async function check(services: Pick<Services, 'engine'>, input: Check, requestId: string): Promise<CheckResult> {
  return checkResult(await services.engine.decide(factsOf(input, requestId)));
}

/** Decides over all of them as if they came one after the other. */
export function checkBatch(
  services: Pick<Services, 'engine'>,
  input: readonly Check[],
  requestId: string,
): Promise<CheckResult[]> {
  return Promise.all(input.map((one) => check(services, one, requestId)));
}

function factsOf(input: Check, requestId: string): Facts {
  const facts: Facts = {
    method: input.method ?? null,
    path: input.path === undefined ? null : pathOf(input.path),
    address: input.ip === undefined ? undefined : parseAddress(input.ip),
    requestId,
  };
  if (input.class !== undefined) facts.class = input.class;
  if (input.user_id !== undefined) facts.userId = input.user_id;
  if (input.client_id !== undefined) facts.client = { id: input.client_id, type: input.client_type ?? 'public' };
  if (input.cost !== undefined) facts.cost = input.cost;
  if (input.api_key === undefined) return facts;
  if (isUuid(input.api_key)) facts.apiKeyId = input.api_key.toLowerCase();
  else facts.apiKey = input.api_key;
  return facts;
}

/** The path of a request target: without query and fragment. */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}

function checkResult(decision: Decision): CheckResult {
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
