import { z } from 'zod';
import { QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { ApiKeyIdParameter, ApiKeyIdSchema, EXAMPLE_ID } from '@/lib/contract/fields/ids';
import { declarePage, pageParameters } from '@/lib/contract/fields/list';
import { AuditReasonSchema } from '@/lib/contract/fields/text';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { SETTINGS_TAG } from '@/lib/contract/keys';
import { count, input, json, object, ok, optionalJson, resource } from '@/lib/contract/resource';

const QuotaUsageSchema = object('QuotaUsage', {
  api_key_id: ApiKeyIdSchema.describe('API key identifier.'),
  tier: QuotaTierSchema,
  usage: count.describe('Units used this month: a request uses 1, or its cost.'),
  limit: count.describe('Units allowed.'),
  remaining: count.describe('Units remaining; 0 if the usage exceeds the limit.'),
  reset_at: TimestampSchema.describe('When the usage resets: the start of the next month of the key, UTC.'),
});
/** Usage of a key in its current month. */
export type QuotaUsage = z.infer<typeof QuotaUsageSchema>;

const ofKey = {
  tag: 'Quotas',
  params: z.strictObject({ api_key: ApiKeyIdParameter }),
  example: { params: { api_key: EXAMPLE_ID } },
} as const;

export const changeTier = resource('/v1/admin/rate-limit/quota/{api_key}/tier', ofKey).put('changeTier', 'operator', {
  command: 'quota tier',
  reason: 'query',
  summary: 'Change the quota tier of one API key',
  description:
    'The new limits apply from the next decision on. A change to `free` ends overage. `If-Match` takes the ETag of the quota or of the key; without it the last writer wins.',
  body: json(input('TierChange', { tier: QuotaTierSchema })),
  example: { body: { tier: 'business' } },
  response: ok(
    'The tier is in force.',
    object('TierChanged', { status: z.literal('updated'), tier: QuotaTierSchema.describe('The new tier.') }),
    SETTINGS_TAG,
  ),
  conditional: true,
});

export const getQuota = resource('/v1/admin/rate-limit/quota/{api_key}', ofKey).get('getQuota', 'viewer', {
  command: 'quota get',
  summary: 'Read the quota usage of one API key',
  description: "The entity tag is that of the key's settings, not of its usage: use it as `If-Match` of a tier change.",
  response: ok("The key's usage.", QuotaUsageSchema, SETTINGS_TAG),
});

export const listQuotas = resource('/v1/admin/rate-limit/quotas', { tag: 'Quotas' }).get('listQuotas', 'viewer', {
  command: 'quota list',
  summary: 'Read the quota usage of all registered API keys',
  description:
    'Oldest key first; includes expired keys, not revoked ones. Without `limit` and `cursor` the answer contains every key and is streamed; each usage is as of the time its page was read.',
  query: z.strictObject(pageParameters),
  response: declarePage('One usage per key.', QuotaUsageSchema),
});

export const readOwnUsage = resource('/v1/usage', { tag: 'Quotas' }).get('readOwnUsage', 'api-key', {
  command: 'quota own',
  summary: 'Read the quota usage of the calling API key',
  description: 'Send the key in `X-API-Key`. Consumes no quota.',
  response: ok("The key's usage.", QuotaUsageSchema),
});

export const resetQuota = resource('/v1/admin/rate-limit/quota/{api_key}/reset', ofKey).post('resetQuota', 'operator', {
  command: 'quota reset',
  reason: 'body',
  summary: 'Reset the quota usage of one API key',
  description: 'The usage becomes zero; the history stays. The reason is kept in the audit log.',
  body: optionalJson(input('QuotaReset', { reason: AuditReasonSchema.optional() })),
  example: { body: { reason: 'Billing dispute' } },
  response: ok('The usage is zero.', object('QuotaResetDone', { status: z.literal('reset') })),
  idempotent: true,
});
