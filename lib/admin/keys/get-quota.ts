import { quotaUsage } from '@/lib/admin/keys/quota-usage';
import { registeredKey } from '@/lib/admin/keys/row';
import { QuotaPath, QuotaUsageSchema } from '@/lib/contract/quota';
import { revisionTag } from '@/lib/http/entity-tag';
import { operation, Reply } from '@/lib/operation/operation';

/** What one key has used of its quota. */
export const getQuota = operation({
  id: 'getQuota',
  method: 'GET',
  path: '/v1/admin/rate-limit/quota/{api_key}',
  tag: 'Quotas',
  summary: 'Read the quota usage of one API key',
  description:
    "The entity tag is that of the key's settings, not of its usage: it goes into `If-Match` of a tier change.",
  access: 'viewer',
  params: QuotaPath,
  response: {
    status: 200,
    description: "The key's usage.",
    schema: QuotaUsageSchema,
    headers: { ETag: "Of the key's settings." },
  },
  errors: ['not_found', 'service_unavailable'],
  run: async (context, { params }) => {
    const { database, counters, rules } = context.services;
    const key = await registeredKey(database, params.api_key);
    const { policies } = await rules.fresh();
    return new Reply(await quotaUsage(counters, policies, key), { headers: { ETag: revisionTag(key.revision) } });
  },
});
