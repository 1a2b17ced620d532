import { z } from 'zod';
import { identifierFields, withCanonicalIdentifier } from '@/lib/contract/fields/identifier';
import { ApiKeyIdParameter } from '@/lib/contract/fields/ids';
import { overrideTarget, parseTarget } from '@/lib/contract/fields/override';
import { TimestampInput } from '@/lib/contract/fields/timestamp';
import { json, object, ok, reasonParameter, resource } from '@/lib/contract/resource';
import { getMaxBodyBytes } from '@/lib/http/body-limits';

const MAX_ITEMS = 500;

/** Operations that a batch runs unchanged. An item holds all that the single call takes in its path, query and body. */
export const BATCH_CALLS = [
  'addAllowlistEntry',
  'removeAllowlistEntry',
  'putOverride',
  'removeOverride',
  'addGrant',
  'removeGrant',
  'changeTier',
  'resetCounters',
  'resetQuota',
  'revokeApiKey',
  'revokeToken',
  'removeMember',
  'removeAssessment',
  'removeWebhook',
  'replayDelivery',
  'undoChange',
] as const;

/** Operations that change only the end of an entry. */
const BATCH_EXTENSIONS = ['extendAllowlistEntry', 'extendOverride', 'extendGrant', 'extendApiKey'] as const;

const expiresAt = TimestampInput.nullable().describe('In the future, at most 10 years ahead; null means never.');

/** Fields of an item of each extension. */
export const ExtensionItems = {
  extendAllowlistEntry: z
    .strictObject({ ...identifierFields, expires_at: expiresAt, ...reasonParameter })
    .transform(withCanonicalIdentifier),
  extendOverride: z
    .strictObject({ ...overrideTarget, expires_at: expiresAt, ...reasonParameter })
    .transform((value, context) => ({
      ...parseTarget(value, context),
      ...{ expires_at: value.expires_at, reason: value.reason },
    })),
  extendGrant: z.strictObject({
    id: z.uuid('must be a uuid').toLowerCase(),
    until: TimestampInput,
    ...reasonParameter,
  }),
  extendApiKey: z.strictObject({ id: ApiKeyIdParameter, expires_at: expiresAt, ...reasonParameter }),
} satisfies Record<(typeof BATCH_EXTENSIONS)[number], z.ZodType>;

export const BatchOperationSchema = z
  .enum([...BATCH_CALLS, ...BATCH_EXTENSIONS])
  .describe(
    'The `operationId` of a single call, or `extendAllowlistEntry`, `extendOverride`, `extendGrant`, `extendApiKey`.',
  );
export type BatchOperation = z.infer<typeof BatchOperationSchema>;

const BatchErrorSchema = z.object({
  error: z.string(),
  error_description: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

const BatchResultSchema = object('BatchResult', {
  status: z.int().describe('What the single call would have answered.'),
  audit_seq: z.int().min(1).optional().describe('The `seq` of the audit record, to undo it by.'),
  error: BatchErrorSchema.optional().describe('The body of a refusal.'),
  value: z.unknown().optional().describe('The body of a success, if it has one.'),
});
export type BatchResult = z.infer<typeof BatchResultSchema>;

export const runBatch = resource('/v1/admin/batch', { tag: 'Batch' }).post('runBatch', 'operator', {
  command: 'batch',
  summary: 'Do one operation on up to 500 items',
  description:
    'One after the other, each as the single call would do it: with its own validation, its own audit record and its own answer, in order. An item that is refused stops no other. An item holds all that the single call takes in its path, its query and its body: `{"api_key": ..., "tier": "business", "reason": ...}`. With an `Idempotency-Key`, a batch that is sent again, even after it was broken off, does each item once. A batch cannot remove the member who sends it: `conflict`. `forbidden` where the role does not allow the operation.',
  body: {
    ...json(
      z
        .strictObject({
          operation: BatchOperationSchema,
          items: z
            .array(z.record(z.string(), z.unknown(), 'must be an object'))
            .min(1)
            .max(MAX_ITEMS, `must be at most ${MAX_ITEMS} items`),
        })
        .meta({ id: 'Batch' }),
    ),
    limit: getMaxBodyBytes('/v1/admin/batch'),
  },
  example: {
    body: {
      operation: 'addAllowlistEntry',
      items: [
        { type: 'ip', identifier: '203.0.113.7', reason: 'Office' },
        { type: 'user_id', identifier: 'alice', reason: 'Load test', expires_at: null },
      ],
    },
  },
  response: ok(
    'The results, in the order of the items.',
    object('BatchResults', { results: z.array(BatchResultSchema) }),
  ),
  idempotent: true,
});
