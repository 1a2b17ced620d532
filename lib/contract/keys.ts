import { z } from 'zod';
import { ClientTypeSchema, QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { isUserId } from '@/lib/contract/fields/identifier';
import { ApiKeyIdSchema } from '@/lib/contract/fields/ids';
import { InstantInput, InstantSchema } from '@/lib/contract/fields/instant';
import {
  exportParameters,
  exportResponse,
  oneOrMore,
  searchParameter,
  sortParameter,
} from '@/lib/contract/fields/list';
import { codePoints } from '@/lib/contract/fields/reason';
import type { Contract } from '@/lib/contract/operation';
import { ApiKeyIdParameter } from '@/lib/contract/quota';
import type { UserId } from '@/lib/ids';

const MAX_NAME = 100;
/** Thirty days: the longest that a secret works after its rotation, in seconds. */
export const MAX_GRACE_SECONDS = 30 * 86_400;

/** Control characters, line and paragraph separators, bidirectional overrides, halves of surrogate pairs. */
const NOT_IN_A_NAME = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** The name of a key: one line of 1 to 100 code points after trimming. */
const ApiKeyName = z
  .string()
  .trim()
  .refine((text) => text !== '' && codePoints(text) <= MAX_NAME, `must have 1 to ${MAX_NAME} characters`)
  .refine((text) => !NOT_IN_A_NAME.test(text), 'must be one line without control characters')
  .describe(`1 to ${MAX_NAME} characters after trimming; no two keys that are not revoked share a name.`)
  .meta({ example: 'billing-service' });

const UserIdInput: z.ZodType<UserId, string> = z
  .string()
  .refine(isUserId, 'must be 1 to 256 characters without control characters')
  .describe('The user that requests with this key count for, when the request names no other.');

const expiry = InstantInput.nullish().describe('In the future, at most 10 years ahead; null means never.');
const overage = z
  .boolean()
  .describe('Requests above the quota are counted and admitted. Only with tier `starter` and above.');

/** A key without anything secret. */
export const ApiKeySchema = z
  .object({
    id: ApiKeyIdSchema,
    name: z.string(),
    tier: QuotaTierSchema,
    client_type: ClientTypeSchema,
    user_id: z.string().nullable(),
    prefix: z.string().describe('The first characters of the secret, to recognise it by.'),
    overage_allowed: z.boolean(),
    expires_at: InstantSchema.nullable(),
    created_at: InstantSchema,
    created_by: z.string(),
    revoked_at: InstantSchema.nullable(),
    previous_secret_until: InstantSchema.nullable().describe('Until when the secret before the last rotation works.'),
  })
  .meta({ id: 'ApiKey' });

export type ApiKey = z.infer<typeof ApiKeySchema>;

const count = z.int().min(0);

/** A key with what it has consumed this month. */
export const ApiKeyWithUsageSchema = ApiKeySchema.extend({
  usage: count.nullable().describe('Requests used this month; null while the counter store is down.'),
  limit: count.describe("Requests a month of the key's tier."),
  remaining: count.nullable(),
  reset_at: InstantSchema.describe('The start of the next month, UTC.'),
  last_used_at: InstantSchema.nullable(),
}).meta({ id: 'ApiKeyWithUsage' });

export type ApiKeyWithUsage = z.infer<typeof ApiKeyWithUsageSchema>;

/** A key that was just made: the only time its secret is shown. */
export const CreatedApiKeySchema = ApiKeySchema.extend({
  secret: z.string().describe('Sent in `X-API-Key`. Shown this once and stored hashed.'),
}).meta({ id: 'CreatedApiKey' });

/** What a rotation answers. */
export const RotatedApiKeySchema = z
  .object({
    id: ApiKeyIdSchema,
    secret: z.string().describe('The new secret. Shown this once and stored hashed.'),
    prefix: z.string(),
    previous_secret_until: InstantSchema.nullable().describe('Until when the old secret works; null: no longer.'),
  })
  .meta({ id: 'RotatedApiKey' });

/** A key to make. */
export const NewApiKey = z
  .strictObject({
    name: ApiKeyName,
    tier: QuotaTierSchema,
    client_type: ClientTypeSchema.default('confidential'),
    user_id: UserIdInput.nullish(),
    expires_at: expiry,
    overage_allowed: overage.default(false),
  })
  .meta({ id: 'NewApiKey' });

/** What of a key can be edited; what is absent stays. The tier has an operation of its own. */
export const ApiKeyPatch = z
  .strictObject({
    name: ApiKeyName.optional(),
    client_type: ClientTypeSchema.optional(),
    user_id: UserIdInput.nullish(),
    expires_at: expiry,
    overage_allowed: overage.optional(),
  })
  .meta({ id: 'ApiKeyPatch' });

/** The body of a rotation. */
export const ApiKeyRotation = z
  .strictObject({
    grace_seconds: z
      .int('must be a whole number')
      .min(0)
      .max(MAX_GRACE_SECONDS)
      .default(0)
      .describe('For how long the old secret still works, at most 30 days.'),
  })
  .meta({ id: 'ApiKeyRotation' });

/** The path of the operations on one key. */
export const ApiKeyPath = z.strictObject({ id: ApiKeyIdParameter });

/** Share of the quota that is used; a limit of 0 is used up. Null while the counter store is down. */
export function usedShare({ usage, limit }: Pick<ApiKeyWithUsage, 'usage' | 'limit'>): number | null {
  if (usage === null) return null;
  return limit === 0 ? 1 : usage / limit;
}

const KEY_STATES = ['active', 'near', 'used_up', 'expired'] as const;
type KeyState = (typeof KEY_STATES)[number] | 'revoked';

/** What an operator should know first about a key. @param now in milliseconds */
export function keyState(key: ApiKeyWithUsage, now: number): KeyState {
  if (key.revoked_at !== null) return 'revoked';
  if (key.expires_at !== null && Date.parse(key.expires_at) <= now) return 'expired';
  const share = usedShare(key) ?? 0;
  return share >= 1 ? 'used_up' : share >= 0.8 ? 'near' : 'active';
}

export const createApiKey = {
  id: 'createApiKey',
  method: 'POST',
  path: '/v1/admin/api-keys',
  tag: 'API keys',
  summary: 'Create an API key',
  description: 'The secret is in this answer and is never shown again.',
  access: 'owner',
  body: { schema: NewApiKey, required: true },
  response: {
    status: 201,
    description: 'The key and its secret.',
    schema: CreatedApiKeySchema,
    headers: { Location: 'The new key.', ETag: "Of the key's settings." },
  },
  errors: ['conflict'],
  idempotent: true,
  example: { body: { name: 'Reports', tier: 'starter', client_type: 'confidential' } },
} as const satisfies Contract;

export const getApiKey = {
  id: 'getApiKey',
  method: 'GET',
  path: '/v1/admin/api-keys/{id}',
  tag: 'API keys',
  summary: 'Read an API key',
  description: 'A revoked key can still be read; `revoked_at` says when it ended.',
  access: 'viewer',
  params: ApiKeyPath,
  response: {
    status: 200,
    description: 'The key.',
    schema: ApiKeyWithUsageSchema,
    headers: { ETag: "Of the key's settings." },
  },
  errors: ['not_found'],
  example: { params: { id: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' } },
} as const satisfies Contract;

export const listApiKeys = {
  id: 'listApiKeys',
  method: 'GET',
  path: '/v1/admin/api-keys',
  tag: 'API keys',
  summary: 'List API keys',
  description: `Newest first unless \`sort\` says otherwise; 100 on a page unless \`limit\` does. As CSV or JSON lines all that match, newest first. Usage is not among the orders: it lives in the counter store, one look-up for each key; \`GET /v1/admin/statistics/forecast\` names the keys that used most of their quota.`,
  access: 'viewer',
  query: z.strictObject({
    ...exportParameters,
    q: searchParameter(
      'Part of the name or the user id (in any letter case of ASCII), or how the id or the prefix starts.',
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
      'What an operator should know first: `expired`, else by the share of the quota that is used: `used_up` (all of it), `near` (80 % and more), `active` (less, or not known because the counter store is down). Several with commas between them.',
    ),
    sort: sortParameter(['created_at', 'name', 'prefix', 'tier', 'last_used_at', 'usage', 'remaining'], '-created_at'),
  }),
  response: exportResponse('A page of keys.', ApiKeyWithUsageSchema),
  example: { query: { limit: '50' } },
} as const satisfies Contract;

export const revokeApiKey = {
  id: 'revokeApiKey',
  method: 'DELETE',
  path: '/v1/admin/api-keys/{id}',
  tag: 'API keys',
  summary: 'Revoke an API key',
  description: 'Neither its secret nor one before a rotation works any more. Its name becomes free; its record stays.',
  access: 'owner',
  params: ApiKeyPath,
  response: { status: 204, description: 'The key is revoked.' },
  errors: ['not_found', 'conflict'],
  conditional: true,
  example: { params: { id: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' } },
} as const satisfies Contract;

export const rotateApiKey = {
  id: 'rotateApiKey',
  method: 'POST',
  path: '/v1/admin/api-keys/{id}/rotate',
  tag: 'API keys',
  summary: 'Rotate the secret of an API key',
  description:
    'The old secret works for `grace_seconds` more (0 when absent: not any more). Only one old secret has a grace: the one before it ends at once.',
  access: 'owner',
  params: ApiKeyPath,
  body: { schema: ApiKeyRotation, required: false },
  response: { status: 200, description: 'The new secret.', schema: RotatedApiKeySchema },
  errors: ['not_found', 'conflict'],
  idempotent: true,
  example: { params: { id: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' }, body: { grace_seconds: 3600 } },
} as const satisfies Contract;

export const updateApiKey = {
  id: 'updateApiKey',
  method: 'PATCH',
  path: '/v1/admin/api-keys/{id}',
  tag: 'API keys',
  summary: 'Edit an API key',
  description:
    'What is absent stays; null takes the user or the expiry away. The tier is changed with its own operation.',
  access: 'owner',
  params: ApiKeyPath,
  body: { schema: ApiKeyPatch, required: true, mediaTypes: ['application/merge-patch+json'] },
  response: {
    status: 200,
    description: 'The key as it is now.',
    schema: ApiKeySchema,
    headers: { ETag: "Of the key's settings." },
  },
  errors: ['not_found', 'conflict'],
  conditional: true,
  example: { params: { id: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' }, body: { name: 'Reports, nightly' } },
} as const satisfies Contract;
