import { z } from 'zod';
import { ClientTypeSchema, QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { UserIdInput } from '@/lib/contract/fields/identifier';
import { ApiKeyIdParameter, ApiKeyIdSchema, idInPath } from '@/lib/contract/fields/ids';
import { declareExport, exportParameters, oneOrMore, searchIn, sortParameter } from '@/lib/contract/fields/list';
import { managedMark } from '@/lib/contract/fields/managed';
import { MonthStartsOn } from '@/lib/contract/fields/month-starts-on';
import { KeyLimitsPatch, KeyLimitsSchema } from '@/lib/contract/fields/named-limit';
import { DisplayName } from '@/lib/contract/fields/text';
import { ExpiryInput, TimestampSchema } from '@/lib/contract/fields/timestamp';
import { wholeNumber } from '@/lib/contract/fields/whole-number';
import {
  count,
  created,
  declareNoContent,
  declarePatch,
  input,
  json,
  object,
  ok,
  optionalJson,
  resource,
} from '@/lib/contract/resource';

const name = DisplayName.describe(
  '1 to 100 characters after trimming; no two keys that are not revoked share a name.',
).meta({ example: 'billing-service' });

const userId = UserIdInput.describe(
  'Requests with this key count against this user, unless the request names another.',
);

const overage = z
  .boolean()
  .describe('Requests above the quota are counted and admitted. Only with tier `starter` and above.');

const monthStartsOn = MonthStartsOn.describe(
  'The day of the month on which its quota resets, at 00:00 UTC; in a shorter month, the last day. Usage of the current month stays counted until the next reset.',
);

const ApiKeySchema = object('ApiKey', {
  id: ApiKeyIdSchema,
  name: z.string(),
  tier: QuotaTierSchema,
  client_type: ClientTypeSchema,
  user_id: z.string().nullable(),
  prefix: z.string().describe('The first characters of the secret, for recognition.'),
  overage_allowed: z.boolean(),
  month_starts_on: count.describe('The day on which the months of its quota begin, 1 to 31, at 00:00 UTC.'),
  limits: KeyLimitsSchema,
  expires_at: TimestampSchema.nullable(),
  created_at: TimestampSchema,
  created_by: z.string(),
  revoked_at: TimestampSchema.nullable(),
  previous_secret_until: TimestampSchema.nullable().describe(
    'When the secret from before the last rotation stops working.',
  ),
});
export type ApiKey = z.infer<typeof ApiKeySchema>;

const ApiKeyWithUsageSchema = ApiKeySchema.extend({
  usage: count
    .nullable()
    .describe('Units used this month (a request uses 1, or its cost); null while the counter store is down.'),
  limit: count.describe("Units this month: those of the key's tier and what is granted."),
  granted: count.describe('Part of the limit that active grants add.'),
  remaining: count.nullable(),
  reset_at: TimestampSchema.describe('The start of the next month of the key, UTC.'),
  last_used_at: TimestampSchema.nullable(),
  runs_out_at: TimestampSchema.nullable().describe(
    'When the quota runs out at the pace of the last days (`GET /v1/admin/statistics/forecast` says how sure that is); null if it lasts until it resets, is used up already, or is unknown.',
  ),
  ...managedMark,
}).meta({ id: 'ApiKeyWithUsage' });
export type ApiKeyWithUsage = z.infer<typeof ApiKeyWithUsageSchema>;

/**
 * Returns the used share of the quota. A limit of 0 counts as used up. Returns null while the counter store is down.
 */
export function computeQuotaShare({ usage, limit }: Pick<ApiKeyWithUsage, 'usage' | 'limit'>): number | null {
  if (usage === null) return null;
  return limit === 0 ? 1 : usage / limit;
}

const KEY_STATES = ['active', 'near', 'used_up', 'expired'] as const;
type KeyState = (typeof KEY_STATES)[number] | 'revoked';

/** Returns the status of a key. @param now time in milliseconds */
export function deriveKeyState(key: ApiKeyWithUsage, now: number): KeyState {
  if (key.revoked_at !== null) return 'revoked';
  if (key.expires_at !== null && Date.parse(key.expires_at) <= now) return 'expired';
  return deriveQuotaState(key);
}

/** Returns the status of a key by its quota only. `usage` is null if it cannot be read. */
export function deriveQuotaState(
  usage: Pick<ApiKeyWithUsage, 'usage' | 'limit'> | null,
): 'active' | 'near' | 'used_up' {
  const share = (usage && computeQuotaShare(usage)) ?? 0;
  return share >= 1 ? 'used_up' : share >= 0.8 ? 'near' : 'active';
}

/** Entity tag of a key. Operations that change its tier accept it too. */
export const SETTINGS_TAG = { ETag: "Of the key's settings." };

const keys = resource('/v1/admin/api-keys', { tag: 'API keys' });
const keyById = { tag: 'API keys', ...idInPath(ApiKeyIdParameter) } as const;
const key = resource('/v1/admin/api-keys/{id}', keyById);

export const createApiKey = keys.post('createApiKey', 'owner', {
  command: 'keys create',
  reason: 'query',
  summary: 'Create an API key',
  description: 'The response contains the secret, which is never shown again.',
  body: json(
    input('NewApiKey', {
      name,
      tier: QuotaTierSchema,
      client_type: ClientTypeSchema.default('confidential'),
      user_id: userId.nullish(),
      expires_at: ExpiryInput,
      overage_allowed: overage.default(false),
      month_starts_on: monthStartsOn.default(1),
    }),
  ),
  example: { body: { name: 'Reports', tier: 'starter', client_type: 'confidential' } },
  response: created(
    'The key and its secret.',
    ApiKeySchema.extend({
      secret: z.string().describe('Sent in `X-API-Key`. Shown only once and stored hashed.'),
    }).meta({ id: 'CreatedApiKey' }),
    { Location: 'The new key.', ...SETTINGS_TAG },
  ),
  idempotent: true,
});

export const getApiKey = key.get('getApiKey', 'viewer', {
  command: 'keys get',
  summary: 'Read an API key',
  description: 'A revoked key can still be read; see `revoked_at`.',
  response: ok('The key.', ApiKeyWithUsageSchema, SETTINGS_TAG),
});

export const listApiKeys = keys.get('listApiKeys', 'viewer', {
  command: 'keys list',
  summary: 'List API keys',
  description:
    'Newest first unless `sort` is given; 100 per page unless `limit` is. CSV and JSON lines contain all matches, newest first. `state`, `runs_out`, and `sort` by `usage`, `remaining` or `runs_out_at`, read the counters of every matching key. `sort=runs_out_at`: used up first, then those that run out before they reset, soonest first, then the others by the share of the quota that they used.',
  query: z.strictObject({
    ...exportParameters,
    q: searchIn(
      'Part of the name or the user id (ASCII letter case is ignored), or the start of the id or the prefix.',
    ),
    tier: oneOrMore(QuotaTierSchema.options),
    status: z
      .enum(
        ['registered', 'active', 'expired', 'revoked', 'all'],
        'must be registered, active, expired, revoked or all',
      )
      .default('registered')
      .describe('`registered`: not revoked; `active`: neither revoked nor expired.'),
    state: oneOrMore(KEY_STATES).describe(
      'Status: `expired`, else by quota usage: `used_up` (all), `near` (80% or more), `active` (less, or unknown because the counter store is down). Separate several with commas.',
    ),
    runs_out: z
      .literal('true', 'must be true')
      .optional()
      .describe('`true`: only keys whose quota is used up, or runs out before it resets at the pace of the last days.'),
    never_used: z.literal('true', 'must be true').optional().describe('`true`: only keys that were never used.'),
    expires_within: wholeNumber(1, 3_650)
      .optional()
      .describe('Only keys that have not expired and do so within this number of days, 1 to 3,650.')
      .meta({ example: 30 }),
    sort: sortParameter(
      ['created_at', 'name', 'prefix', 'tier', 'last_used_at', 'expires_at', 'usage', 'remaining', 'runs_out_at'],
      '-created_at',
    ),
  }),
  example: { query: { limit: '50' } },
  response: declareExport('A page of keys.', ApiKeyWithUsageSchema),
});

export const revokeApiKey = key.delete('revokeApiKey', 'owner', {
  command: 'keys revoke',
  reason: 'query',
  summary: 'Revoke an API key',
  description: 'Its secret, and one from before a rotation, stop working. Its name can be reused; its record stays.',
  response: declareNoContent('The key is revoked.'),
  conditional: true,
});

export const rotateApiKey = resource('/v1/admin/api-keys/{id}/rotate', keyById).post('rotateApiKey', 'owner', {
  command: 'keys rotate',
  reason: 'query',
  summary: 'Rotate the secret of an API key',
  description:
    'The old secret keeps working for `grace_seconds` (default 0: it stops at once). Only one old secret has a grace period; an earlier one stops at once.',
  body: optionalJson(
    input('ApiKeyRotation', {
      grace_seconds: z
        .int()
        .min(0)
        .max(30 * 86_400)
        .default(0)
        .describe('How long the old secret keeps working, at most 30 days.'),
    }),
  ),
  example: { body: { grace_seconds: 3600 } },
  response: ok(
    'The new secret.',
    object('RotatedApiKey', {
      id: ApiKeyIdSchema,
      secret: z.string().describe('The new secret. Shown only once and stored hashed.'),
      prefix: z.string(),
      previous_secret_until: TimestampSchema.nullable().describe(
        'When the old secret stops working; null if it has stopped already.',
      ),
    }),
  ),
  idempotent: true,
});

export const updateApiKey = key.patch('updateApiKey', 'owner', {
  command: 'keys update',
  reason: 'query',
  summary: 'Edit an API key',
  description:
    'Absent members stay unchanged; null removes the user, the expiry, or the windows of a limit. Change the tier with its own operation.',
  body: declarePatch(
    input('ApiKeyPatch', {
      name: name.optional(),
      client_type: ClientTypeSchema.optional(),
      user_id: userId.nullish(),
      expires_at: ExpiryInput.describe('In the future, at most 10 years ahead; null means never.'),
      overage_allowed: overage.optional(),
      month_starts_on: monthStartsOn.optional(),
      limits: KeyLimitsPatch.optional(),
    }),
  ),
  example: { body: { name: 'Reports, nightly' } },
  response: ok('The changed key.', ApiKeySchema, SETTINGS_TAG),
  conditional: true,
});
