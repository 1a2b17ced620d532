import { z } from 'zod';
import { QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { ApiKeyIdSchema } from '@/lib/contract/fields/ids';
import { InstantSchema } from '@/lib/contract/fields/instant';
import { pageParameters, pageResponse } from '@/lib/contract/fields/list';
import { AuditReasonSchema } from '@/lib/contract/fields/reason';
import type { Contract } from '@/lib/contract/operation';
import type { ApiKeyId } from '@/lib/ids';

const count = z.int().min(0);

/** What a key has consumed in the running calendar month (UTC). */
export const QuotaUsageSchema = z
  .object({
    api_key_id: ApiKeyIdSchema.describe('API key identifier.'),
    tier: QuotaTierSchema,
    usage: count.describe('Requests used.'),
    limit: count.describe('Requests allowed.'),
    remaining: count.describe('Requests remaining; 0 when the usage is above the limit.'),
    reset_at: InstantSchema.describe('When the usage resets: the start of the next month, UTC.'),
  })
  .meta({ id: 'QuotaUsage' });

export type QuotaUsage = z.infer<typeof QuotaUsageSchema>;

/** The form of a key's uuid (RFC 9562 section 4: any version, any letter case, with dashes and nothing around it). */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text has the form of a uuid. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A key's uuid in a path, in lower case. */
export const ApiKeyIdParameter: z.ZodType<ApiKeyId, string> = z
  .string()
  .regex(UUID, 'must be a uuid')
  .toLowerCase()
  .describe("The key's uuid, never its secret.")
  .meta({ format: 'uuid', example: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' });

/** The path of the quota operations. */
export const QuotaPath = z.strictObject({ api_key: ApiKeyIdParameter });

/** The body of a quota reset. */
export const QuotaReset = z.strictObject({ reason: AuditReasonSchema.optional() }).meta({ id: 'QuotaReset' });

/** What a quota reset answers. */
export const QuotaResetDoneSchema = z.object({ status: z.literal('reset') }).meta({ id: 'QuotaResetDone' });

/** The body of a tier change. */
export const TierChange = z.strictObject({ tier: QuotaTierSchema }).meta({ id: 'TierChange' });

/** What a tier change answers. */
export const TierChangedSchema = z
  .object({ status: z.literal('updated'), tier: QuotaTierSchema.describe('The new tier.') })
  .meta({ id: 'TierChanged' });

export const changeTier = {
  id: 'changeTier',
  method: 'PUT',
  path: '/v1/admin/rate-limit/quota/{api_key}/tier',
  tag: 'Quotas',
  summary: 'Change the quota tier of one API key',
  description:
    'The limits of the new tier hold from the next decision on. Overage ends with a change to `free`. `If-Match` takes the ETag of the quota or of the key; without it the last writer wins.',
  access: 'operator',
  params: QuotaPath,
  body: { schema: TierChange, required: true },
  response: {
    status: 200,
    description: 'The tier is in force.',
    schema: TierChangedSchema,
    headers: { ETag: "Of the key's settings." },
  },
  errors: ['not_found', 'conflict'],
  conditional: true,
  example: { params: { api_key: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' }, body: { tier: 'business' } },
} as const satisfies Contract;

export const getQuota = {
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
  example: { params: { api_key: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' } },
} as const satisfies Contract;

export const listQuotas = {
  id: 'listQuotas',
  method: 'GET',
  path: '/v1/admin/rate-limit/quotas',
  tag: 'Quotas',
  summary: 'Read the quota usage of all registered API keys',
  description:
    'Oldest key first; revoked keys are not registered any more, expired ones are. Without `limit` and `cursor` the answer holds every key, written as it is read; usages are those of the time at which their page was.',
  access: 'viewer',
  query: z.strictObject(pageParameters),
  response: pageResponse('One usage for each key.', QuotaUsageSchema),
  errors: ['service_unavailable'],
} as const satisfies Contract;

export const readOwnUsage = {
  id: 'readOwnUsage',
  method: 'GET',
  path: '/v1/usage',
  tag: 'Quotas',
  summary: 'Read the quota usage of the API key that asks',
  description: 'With the key in `X-API-Key`. Consumes nothing from the quota.',
  access: 'api-key',
  response: { status: 200, description: "The key's usage.", schema: QuotaUsageSchema },
  errors: ['invalid_api_key', 'service_unavailable'],
} as const satisfies Contract;

export const resetQuota = {
  id: 'resetQuota',
  method: 'POST',
  path: '/v1/admin/rate-limit/quota/{api_key}/reset',
  tag: 'Quotas',
  summary: 'Reset the quota usage of one API key',
  description: 'The usage becomes zero; the history stays. The reason goes into the audit log.',
  access: 'operator',
  params: QuotaPath,
  body: { schema: QuotaReset, required: false },
  response: { status: 200, description: 'The usage is zero.', schema: QuotaResetDoneSchema },
  errors: ['not_found', 'conflict', 'service_unavailable'],
  idempotent: true,
  example: { params: { api_key: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' }, body: { reason: 'Billing dispute' } },
} as const satisfies Contract;
