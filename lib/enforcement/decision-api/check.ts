import type { Check } from '@/lib/contract/check';
import { isUuid } from '@/lib/contract/quota';
import type { Facts } from '@/lib/enforcement/decision';
import { parseAddress } from '@/lib/limiter/address';

/** What a check tells of a request that somebody else serves. */
export function factsOf(input: Check, requestId: string): Facts {
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
