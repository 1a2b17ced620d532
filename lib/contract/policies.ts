import { z } from 'zod';
import { EndpointClassSchema } from '@/lib/contract/fields/enumerations';
import { InstantSchema } from '@/lib/contract/fields/instant';
import { MANAGED_HEADERS } from '@/lib/contract/fields/managed';
import { count, input, object, ok, patchOf, resource } from '@/lib/contract/resource';

/** A limit in a sliding window of 60 slots. `limit` 0 refuses everything. */
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
const classPolicy = input('ClassPolicy', {
  ip: LimitSchema,
  user: LimitSchema,
  on_store_failure: onStoreFailure.describe('Answer 503, or decide by a per-process limiter at half the limit.'),
});

const quota = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const tiers = z.strictObject({ free: quota, starter: quota, business: quota, enterprise: quota });

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
});
export type Policies = z.infer<typeof PoliciesSchema>;

const limitPatch = LimitSchema.partial().optional();
const classPatch = z
  .strictObject({ ip: limitPatch, user: limitPatch, on_store_failure: onStoreFailure.optional() })
  .optional();

/** A JSON merge patch (RFC 7396) on the policies. Nothing can be removed, so `null` is refused. */
export const PoliciesPatch = input('PoliciesPatch', {
  classes: z
    .strictObject({ auth: classPatch, sensitive: classPatch, read: classPatch, write: classPatch, lab: classPatch })
    .optional(),
  clients: z.strictObject({ public: limitPatch, confidential: limitPatch }).optional(),
  global: limitPatch,
  tiers: tiers.partial().optional(),
});
export type PoliciesPatch = z.infer<typeof PoliciesPatch>;

const perMinute = (limit: number): Limit => ({ limit, window_seconds: 60 });
const perHour = (limit: number): Limit => ({ limit, window_seconds: 3600 });

/** The limits of a fresh installation. */
export const DEFAULT_POLICIES: Policies = {
  classes: {
    auth: { ip: perMinute(10), user: perHour(50), on_store_failure: 'closed' },
    sensitive: { ip: perMinute(30), user: perHour(100), on_store_failure: 'closed' },
    read: { ip: perMinute(100), user: perHour(5000), on_store_failure: 'local' },
    write: { ip: perMinute(50), user: perHour(1000), on_store_failure: 'local' },
    lab: { ip: perMinute(300), user: perHour(5000), on_store_failure: 'local' },
  },
  clients: { public: perMinute(30), confidential: perMinute(100) },
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
    'A JSON merge patch (RFC 7396): absent members stay unchanged. Nothing can be removed, so null is refused. Counters are kept; a window of a different length starts empty.',
  body: patchOf(PoliciesPatch),
  example: { body: { classes: { auth: { ip: { limit: 20 } } } } },
  response: ok('The policies in force.', PoliciesSchema, { ETag: 'For `If-Match` of the next change.' }),
  conditional: true,
});

const bounds = z.object({ at_least: count, at_most: count });

const RefusalsSchema = object('DryRunRefusals', {
  at_least: count.describe('Lower bound, in requests.'),
  at_most: count.describe('Upper bound, in requests.'),
  identifiers: bounds.describe('How many identifiers would have been refused at least once.'),
});
export type Refusals = z.infer<typeof RefusalsSchema>;

const DryRunLimitSchema = object('DryRunLimit', {
  path: z.string().describe('Which limit of the policies, for example `classes.auth.ip` or `tiers.free`.'),
  subject: z.enum(['ip', 'user', 'client', 'quota']),
  class: EndpointClassSchema.nullable().describe('Null where all classes count together.'),
  requests: count.describe('Requests, by cost, of the identifiers that are tracked individually.'),
  requests_not_followed: count.describe("Requests of all others; the limit's effect on them is unknown."),
  history_short: z
    .boolean()
    .describe('The window is longer than the hour before the replay, so its earlier content is unknown.'),
  in_force: RefusalsSchema.describe('Replayed against the limit in force.'),
  changed: RefusalsSchema.describe('Replayed against the changed limit.'),
  most_refused: z
    .array(z.object({ identifier: z.string(), ...bounds.shape }))
    .describe('The identifiers that the changed limit would have refused most often, at most ten.'),
});
export type DryRunLimit = z.infer<typeof DryRunLimitSchema>;

const DryRunSchema = object('DryRun', {
  from: InstantSchema,
  to: InstantSchema.describe('The last whole minute.'),
  known_from: InstantSchema.nullable().describe('The first minute with traffic in the hour; null if there was none.'),
  requests: count.describe('Decisions in that hour, without bypasses.'),
  refused: count.describe('Of these, actually refused, by any limit in force.'),
  limits: z.array(DryRunLimitSchema).describe('One per limit that the change touches.'),
  in_force: bounds.describe('Requests refused by the current limits.'),
  changed: bounds.describe('Requests that the changed limits would have refused.'),
  not_replayed: z
    .array(z.string())
    .describe(
      'Changes that cannot be replayed: the global throttle (no per-second data is stored) and the behaviour while the store is down.',
    ),
});
/** What changed policies would have done to the traffic of the last hour. */
export type DryRun = z.infer<typeof DryRunSchema>;

const dryRun = resource('/v1/admin/policies/dry-run', { tag: 'Policies' });

export const dryRunPolicies = dryRun.post('dryRunPolicies', 'viewer', {
  command: 'policies dry-run',
  summary: 'Replay the last hour with changed policies',
  description:
    'Takes the same merge patch as the change, changes nothing, and replays the last whole hour against each limit it touches. Requests are recorded in ten-second steps for the 64 busiest identifiers of every minute and limit, so each result is a lower and an upper bound for these, plus a count of all other requests. The bounds hold for requests of cost 1. Callers that would have behaved differently when refused are not modelled.',
  body: patchOf(PoliciesPatch),
  example: { body: { classes: { auth: { ip: { limit: 5 } } } } },
  response: ok('What would have been refused.', DryRunSchema),
});
