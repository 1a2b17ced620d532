import { z } from 'zod';
import type { Contract } from '@/lib/contract/operation';

const MAX_LIMIT = 1_000_000_000;
/** Thirty-one days: the longest sliding window. */
const MAX_WINDOW_SECONDS = 31 * 86_400;

/** A limit in a sliding window of 60 slots. `limit` 0 refuses everything. */
export const LimitSchema = z
  .strictObject({
    limit: z.int().min(0).max(MAX_LIMIT).describe('Requests per window.'),
    window_seconds: z.int().min(1).max(MAX_WINDOW_SECONDS).describe('Length of the window in seconds.'),
  })
  .meta({ id: 'Limit' });

export type Limit = z.infer<typeof LimitSchema>;

const ClassPolicySchema = z
  .strictObject({
    ip: LimitSchema,
    user: LimitSchema,
    on_store_failure: z
      .enum(['closed', 'local'])
      .describe('Answer 503, or serve from a per-process limiter at half the limit.'),
  })
  .meta({ id: 'ClassPolicy' });

const tierLimit = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** All limits that the engine decides by. */
export const PoliciesSchema = z
  .strictObject({
    classes: z.strictObject({
      auth: ClassPolicySchema,
      sensitive: ClassPolicySchema,
      read: ClassPolicySchema,
      write: ClassPolicySchema,
    }),
    clients: z.strictObject({ public: LimitSchema, confidential: LimitSchema }),
    global: LimitSchema.describe('Per instance, over all requests that the instance serves itself.'),
    tiers: z.strictObject({ free: tierLimit, starter: tierLimit, business: tierLimit, enterprise: tierLimit }),
  })
  .meta({ id: 'Policies' });

export type Policies = z.infer<typeof PoliciesSchema>;

const limitPatch = LimitSchema.partial();
const classPatch = z.strictObject({
  ip: limitPatch.optional(),
  user: limitPatch.optional(),
  on_store_failure: z.enum(['closed', 'local']).optional(),
});

/** A JSON merge patch (RFC 7396) on the policies. Nothing can be removed, so `null` is refused. */
export const PoliciesPatch = z
  .strictObject({
    classes: z
      .strictObject({
        auth: classPatch.optional(),
        sensitive: classPatch.optional(),
        read: classPatch.optional(),
        write: classPatch.optional(),
      })
      .optional(),
    clients: z.strictObject({ public: limitPatch.optional(), confidential: limitPatch.optional() }).optional(),
    global: limitPatch.optional(),
    tiers: z
      .strictObject({
        free: tierLimit.optional(),
        starter: tierLimit.optional(),
        business: tierLimit.optional(),
        enterprise: tierLimit.optional(),
      })
      .optional(),
  })
  .meta({ id: 'PoliciesPatch' });

export type PoliciesPatch = z.infer<typeof PoliciesPatch>;

/** The limits of a fresh installation (contract, section 3). */
export const DEFAULT_POLICIES: Policies = {
  classes: {
    auth: {
      ip: { limit: 10, window_seconds: 60 },
      user: { limit: 50, window_seconds: 3600 },
      on_store_failure: 'closed',
    },
    sensitive: {
      ip: { limit: 30, window_seconds: 60 },
      user: { limit: 100, window_seconds: 3600 },
      on_store_failure: 'closed',
    },
    read: {
      ip: { limit: 100, window_seconds: 60 },
      user: { limit: 5000, window_seconds: 3600 },
      on_store_failure: 'local',
    },
    write: {
      ip: { limit: 50, window_seconds: 60 },
      user: { limit: 1000, window_seconds: 3600 },
      on_store_failure: 'local',
    },
  },
  clients: { public: { limit: 30, window_seconds: 60 }, confidential: { limit: 100, window_seconds: 60 } },
  global: { limit: 1000, window_seconds: 1 },
  tiers: { free: 1000, starter: 10_000, business: 100_000, enterprise: 1_000_000 },
};

/** RFC 7396 on plain JSON objects whose shape the schema has checked. */
export function mergePatch<T>(target: T, patch: unknown): T {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch as T;
  const merged: Record<string, unknown> = { ...(target as Record<string, unknown>) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged as T;
}

export const getPolicies = {
  id: 'getPolicies',
  method: 'GET',
  path: '/v1/admin/policies',
  tag: 'Policies',
  summary: 'Read the policies',
  access: 'viewer',
  response: {
    status: 200,
    description: 'The policies in force.',
    schema: PoliciesSchema,
    headers: { ETag: 'For `If-Match` of a change.' },
  },
} as const satisfies Contract;

export const patchPolicies = {
  id: 'patchPolicies',
  method: 'PATCH',
  path: '/v1/admin/policies',
  tag: 'Policies',
  summary: 'Change the policies',
  description:
    'A JSON merge patch (RFC 7396): what is absent stays. Nothing can be removed, so null is refused. Usages stay what they are; a window of another length starts counting anew.',
  access: 'owner',
  body: { schema: PoliciesPatch, required: true, mediaTypes: ['application/merge-patch+json'] },
  response: {
    status: 200,
    description: 'The policies in force.',
    schema: PoliciesSchema,
    headers: { ETag: 'For `If-Match` of the next change.' },
  },
  errors: ['conflict'],
  conditional: true,
  example: { body: { classes: { auth: { ip: { limit: 20 } } } } },
} as const satisfies Contract;
