import { z } from 'zod';
import { MANAGED_HEADERS } from '@/lib/contract/fields/managed';
import { declarePatch, input, ok, resource } from '@/lib/contract/resource';

/** A limit in a sliding window of 60 slots. A `limit` of 0 refuses everything. */
export const LimitSchema = input('Limit', {
  limit: z.int().min(0).max(1_000_000_000).describe('Requests per window.'),
  window_seconds: z
    .int()
    .min(1)
    .max(31 * 86_400)
    .describe('Length of the window in seconds.'),
});
export type Limit = z.infer<typeof LimitSchema>;

const onStoreFailure = z.enum(['closed', 'local']);
const lease = z
  .int()
  .min(1)
  .max(1_000_000)
  .nullable()
  .describe(
    'How many permits of one hot address or user an instance may hold, for up to a second, to decide without Redis; null: none. Has no effect on counters that are not in Redis.',
  );
const classPolicy = input('ClassPolicy', {
  ip: LimitSchema,
  user: LimitSchema,
  on_store_failure: onStoreFailure.describe('Answer 503, or decide by a per-process limiter at half the limit.'),
  lease,
});

const quota = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const tiers = z.strictObject({ free: quota, starter: quota, business: quota, enterprise: quota });

const rate = LimitSchema.shape.limit.nullable().describe('Requests per minute. Null means no separate rate.');
const rates = z.strictObject({ free: rate, starter: rate, business: rate, enterprise: rate });

const exceptions = z.strictObject({
  longest_days: z
    .int()
    .min(1)
    .max(3_650)
    .nullable()
    .describe(
      'The longest life of a new or edited allowlist entry, override or grant, in days; null: any, or none at all.',
    ),
  allow_everyone: z
    .boolean()
    .describe('Whether a new allowlist entry may cover every address of IPv4 or IPv6 (`0.0.0.0/0`, `::/0`).'),
});

const countPreflights = z
  .boolean()
  .describe(
    'Whether CORS preflights (`OPTIONS` with `Origin` and `Access-Control-Request-Method`) count like other requests. If not, only the global throttle bounds them.',
  );

/** Returns whether a text is a serialised origin (RFC 6454 section 6.2), as browsers send it. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}

const corsOrigins = z
  .array(
    z
      .string()
      .max(255)
      .refine((text) => text === '*' || isOrigin(text), 'must be an origin such as `https://app.example.com`, or `*`')
      .meta({ example: 'https://app.example.com' }),
  )
  .max(100, 'must be at most 100 origins')
  .describe(
    'Origins whose scripts may read the status, the headers and the body of a refusal; `*`: every origin, without credentials.',
  );

export const PoliciesSchema = input('Policies', {
  classes: z.strictObject({
    auth: classPolicy,
    sensitive: classPolicy,
    read: classPolicy,
    write: classPolicy,
    lab: classPolicy,
  }),
  clients: z.strictObject({ public: LimitSchema, confidential: LimitSchema }),
  global: LimitSchema.describe('Per instance, over all requests that it serves itself.'),
  tiers,
  tier_rates: rates.describe(
    'Requests a minute of each API key of a tier, all classes together, in place of the limit of its client type, which applies if it is null.',
  ),
  exceptions,
  count_preflights: countPreflights,
  cors_origins: corsOrigins,
});
export type Policies = z.infer<typeof PoliciesSchema>;

const limitPatch = LimitSchema.partial().optional();
const classPatch = z
  .strictObject({
    ip: limitPatch,
    user: limitPatch,
    on_store_failure: onStoreFailure.optional(),
    lease: lease.optional(),
  })
  .optional();

/** A JSON merge patch (RFC 7396) on the policies. Only optional members can be null. */
export const PoliciesPatch = input('PoliciesPatch', {
  classes: z
    .strictObject({ auth: classPatch, sensitive: classPatch, read: classPatch, write: classPatch, lab: classPatch })
    .optional(),
  clients: z.strictObject({ public: limitPatch, confidential: limitPatch }).optional(),
  global: limitPatch,
  tiers: tiers.partial().optional(),
  tier_rates: rates.partial().optional(),
  exceptions: exceptions.partial().optional(),
  count_preflights: countPreflights.optional(),
  cors_origins: corsOrigins.optional(),
});
export type PoliciesPatch = z.infer<typeof PoliciesPatch>;

const createMinuteLimit = (limit: number): Limit => ({ limit, window_seconds: 60 });
const createHourLimit = (limit: number): Limit => ({ limit, window_seconds: 3600 });

/** Limits of a fresh installation. */
export const DEFAULT_POLICIES: Policies = {
  classes: {
    auth: { ip: createMinuteLimit(10), user: createHourLimit(50), on_store_failure: 'closed', lease: null },
    sensitive: { ip: createMinuteLimit(30), user: createHourLimit(100), on_store_failure: 'closed', lease: null },
    read: { ip: createMinuteLimit(100), user: createHourLimit(5000), on_store_failure: 'local', lease: null },
    write: { ip: createMinuteLimit(50), user: createHourLimit(1000), on_store_failure: 'local', lease: null },
    lab: { ip: createMinuteLimit(300), user: createHourLimit(5000), on_store_failure: 'local', lease: null },
  },
  clients: { public: createMinuteLimit(30), confidential: createMinuteLimit(100) },
  global: { limit: 1000, window_seconds: 1 },
  tiers: { free: 1000, starter: 10_000, business: 100_000, enterprise: 1_000_000 },
  tier_rates: { free: null, starter: null, business: null, enterprise: null },
  exceptions: { longest_days: null, allow_everyone: false },
  count_preflights: false,
  cors_origins: [],
};

/**
 * Applies a merge patch (RFC 7396) to plain JSON objects. The schema has checked their shape, and null removes a
 * member.
 */
export function mergePatch<T>(target: T, patch: unknown): T {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch as T;
  const merged: Record<string, unknown> = { ...(target as Record<string, unknown>) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    merged[name] = mergePatch(merged[name], value);
  }
  return merged as T;
}

const policies = resource('/v1/admin/policies', { tag: 'Policies' });

export const getPolicies = policies.get('getPolicies', 'viewer', {
  command: 'policies get',
  summary: 'Read the policies',
  response: ok('The policies in force.', PoliciesSchema, { ETag: 'For `If-Match` of a change.', ...MANAGED_HEADERS }),
});

export const patchPolicies = policies.patch('patchPolicies', 'owner', {
  command: 'policies set',
  reason: 'query',
  summary: 'Change the policies',
  description:
    'A JSON merge patch (RFC 7396): absent members stay unchanged. Only leases, the rates of tiers and the longest life of exceptions can be null: elsewhere it is refused. Counters are kept; a window of a different length starts empty.',
  body: declarePatch(PoliciesPatch),
  example: { body: { classes: { auth: { ip: { limit: 20 } } } } },
  response: ok('The policies in force.', PoliciesSchema, { ETag: 'For `If-Match` of the next change.' }),
  conditional: true,
});
