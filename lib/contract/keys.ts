import { z } from 'zod';
import { ClientTypeSchema, QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { isUserId } from '@/lib/contract/fields/identifier';
import { InstantInput, InstantSchema } from '@/lib/contract/fields/instant';
import { codePoints } from '@/lib/contract/fields/reason';
import { ApiKeyIdParameter } from '@/lib/contract/quota';

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

const UserId = z
  .string()
  .refine(isUserId, 'must be 1 to 256 characters without control characters')
  .describe('The user that requests with this key count for, when the request tells no other.');

const expiry = InstantInput.nullish().describe('In the future, at most 10 years ahead; null means never.');
const overage = z
  .boolean()
  .describe('Requests above the quota are counted and admitted. Only with tier `starter` and above.');

/** A key without anything secret. */
export const ApiKeySchema = z
  .object({
    id: z.uuid(),
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
  usage: count.nullable().describe('Requests used this month; null while the counters are out of reach.'),
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
    id: z.uuid(),
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
    user_id: UserId.nullish(),
    expires_at: expiry,
    overage_allowed: overage.default(false),
  })
  .meta({ id: 'NewApiKey' });

/** What of a key can be edited; what is absent stays. The tier has an operation of its own. */
export const ApiKeyPatch = z
  .strictObject({
    name: ApiKeyName.optional(),
    client_type: ClientTypeSchema.optional(),
    user_id: UserId.nullish(),
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
