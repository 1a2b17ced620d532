import { z } from 'zod';
import { QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { ApiKeyIdParameter, ApiKeyIdSchema, EXAMPLE_ID } from '@/lib/contract/fields/ids';
import { InstantSchema } from '@/lib/contract/fields/instant';
import { pageOf, pageParameters } from '@/lib/contract/fields/list';
import { AuditReasonSchema } from '@/lib/contract/fields/text';
import { SETTINGS_TAG } from '@/lib/contract/keys';
import { json, namedInput, namedObject, ok, optionalJson, resource } from '@/lib/contract/resource';

const count = z.int().min(0);

const QuotaUsageSchema = namedObject('QuotaUsage', {
  api_key_id: ApiKeyIdSchema.describe('API key identifier.'),
  tier: QuotaTierSchema,
  usage: count.describe('Requests used.'),
  limit: count.describe('Requests allowed.'),
  remaining: count.describe('Requests remaining; 0 when the usage is above the limit.'),
  reset_at: InstantSchema.describe('When the usage resets: the start of the next month, UTC.'),
});
/** What a key has consumed in the running calendar month (UTC). */
export type QuotaUsage = z.infer<typeof QuotaUsageSchema>;

const ofKey = {
  tag: 'Quotas',
  params: z.strictObject({ api_key: ApiKeyIdParameter }),
  example: { params: { api_key: EXAMPLE_ID } },
} as const;

export const changeTier = resource('/v1/admin/rate-limit/quota/{api_key}/tier', ofKey).put('changeTier', 'operator', {
  summary: 'Change the quota tier of one API key',
  description:
    'The limits of the new tier hold from the next decision on. Overage ends with a change to `free`. `If-Match` takes the ETag of the quota or of the key; without it the last writer wins.',
  body: json(namedInput('TierChange', { tier: QuotaTierSchema })),
  example: { body: { tier: 'business' } },
  response: ok(
    'The tier is in force.',
    namedObject('TierChanged', { status: z.literal('updated'), tier: QuotaTierSchema.describe('The new tier.') }),
    SETTINGS_TAG,
  ),
  conditional: true,
});

export const getQuota = resource('/v1/admin/rate-limit/quota/{api_key}', ofKey).get('getQuota', 'viewer', {
  summary: 'Read the quota usage of one API key',
  description:
    "The entity tag is that of the key's settings, not of its usage: it goes into `If-Match` of a tier change.",
  response: ok("The key's usage.", QuotaUsageSchema, SETTINGS_TAG),
});

export const listQuotas = resource('/v1/admin/rate-limit/quotas', { tag: 'Quotas' }).get('listQuotas', 'viewer', {
  summary: 'Read the quota usage of all registered API keys',
  description:
    'Oldest key first; revoked keys are not registered any more, expired ones are. Without `limit` and `cursor` the answer holds every key, written as it is read; usages are those of the time at which their page was.',
  query: z.strictObject(pageParameters),
  response: pageOf('One usage for each key.', QuotaUsageSchema),
});

export const readOwnUsage = resource('/v1/usage', { tag: 'Quotas' }).get('readOwnUsage', 'api-key', {
  summary: 'Read the quota usage of the API key that asks',
  description: 'With the key in `X-API-Key`. Consumes nothing from the quota.',
  response: ok("The key's usage.", QuotaUsageSchema),
});

export const resetQuota = resource('/v1/admin/rate-limit/quota/{api_key}/reset', ofKey).post('resetQuota', 'operator', {
  summary: 'Reset the quota usage of one API key',
  description: 'The usage becomes zero; the history stays. The reason goes into the audit log.',
  body: optionalJson(namedInput('QuotaReset', { reason: AuditReasonSchema.optional() })),
  example: { body: { reason: 'Billing dispute' } },
  response: ok('The usage is zero.', namedObject('QuotaResetDone', { status: z.literal('reset') })),
  idempotent: true,
});
