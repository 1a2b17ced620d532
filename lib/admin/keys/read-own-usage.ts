import { quotaUsage } from '@/lib/admin/keys/quota-usage';
import { hashSecret } from '@/lib/auth/secret-hash';
import { QuotaUsageSchema } from '@/lib/contract/quota';
import { ApiError } from '@/lib/http/api-error';
import { operation } from '@/lib/operation/operation';

const CHALLENGE = { 'WWW-Authenticate': 'ApiKey realm="Sluice"' };

/** What the key that asks has used of its quota. Consumes nothing of it. */
export const readOwnUsage = operation({
  id: 'readOwnUsage',
  method: 'GET',
  path: '/v1/usage',
  tag: 'Quotas',
  summary: 'Read the quota usage of the API key that asks',
  description: 'With the key in `X-API-Key`. Consumes nothing from the quota.',
  access: 'public',
  response: { status: 200, description: "The key's usage.", schema: QuotaUsageSchema },
  errors: ['invalid_api_key', 'service_unavailable'],
  run: async (context) => {
    const { counters, rules: cache } = context.services;
    const secret = context.request.headers.get('x-api-key');
    if (secret === null || secret === '') {
      throw new ApiError('unauthorized', 'An API key in X-API-Key is required.', { headers: CHALLENGE });
    }
    const rules = await cache.fresh();
    const key = rules.keyBySecretHash(hashSecret(secret), context.now);
    if (key === undefined)
      throw new ApiError('invalid_api_key', 'The API key is unknown, revoked or expired.', { headers: CHALLENGE });
    return quotaUsage(counters, rules.policies, key);
  },
});
