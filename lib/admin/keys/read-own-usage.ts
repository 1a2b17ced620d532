import { readQuotaUsage } from '@/lib/admin/keys/usage';
import { hashSecret } from '@/lib/auth/secret-hash';
import { readOwnUsage as contract } from '@/lib/contract/quota';
import { ApiError } from '@/lib/http/api-error';
import { readSingleValue } from '@/lib/http/request-head';
import { implement } from '@/lib/operation/operation';

const CHALLENGE = { 'WWW-Authenticate': 'ApiKey realm="Sluice"' };

/** Returns the quota usage of the calling key. Consumes nothing. */
export const readOwnUsage = implement(contract, async (context) => {
  const { counters, rules: cache } = context.services;
  const secret = readSingleValue(context.facts.headers.get('x-api-key'));
  if (secret === null)
    throw new ApiError('unauthorized', 'An API key in X-API-Key is required.', { headers: CHALLENGE });
  if (secret === 'several')
    throw new ApiError('invalid_request', 'The request has credentials of two different clients.');
  const rules = await cache.readFresh();
  const key = rules.findKeyBySecretHash(hashSecret(secret), context.now);
  if (key === undefined)
    throw new ApiError('invalid_api_key', 'The API key is unknown, revoked or expired.', { headers: CHALLENGE });
  return readQuotaUsage(counters, rules, key, context.now);
});
