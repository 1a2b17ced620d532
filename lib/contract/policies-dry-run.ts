import { z } from 'zod';
import { EndpointClassSchema } from '@/lib/contract/fields/enumerations';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { PoliciesPatch } from '@/lib/contract/policies';
import { count, declarePatch, object, ok, resource } from '@/lib/contract/resource';

const bounds = z.object({ at_least: count, at_most: count });

const RefusalsSchema = object('DryRunRefusals', {
  at_least: count.describe('Lower bound, in units: a request counts as much as it costs.'),
  at_most: count.describe('Upper bound, in units.'),
  identifiers: bounds.describe('How many identifiers would have been refused at least once.'),
});
export type Refusals = z.infer<typeof RefusalsSchema>;

const DryRunLimitSchema = object('DryRunLimit', {
  path: z.string().describe('Which limit of the policies, for example `classes.auth.ip` or `tiers.free`.'),
  subject: z.enum(['ip', 'user', 'client', 'quota']),
  class: EndpointClassSchema.nullable().describe('Null if all classes count together.'),
  requests: count.describe('What the requests of the identifiers that are tracked individually cost, in units.'),
  requests_not_followed: count.describe(
    "What the requests of all others cost, in units; the limit's effect on them is unknown.",
  ),
  history_short: z
    .boolean()
    .describe('The window is longer than the hour before the replay, so its earlier content is unknown.'),
  in_force: RefusalsSchema.describe('Replayed against the limit in force.'),
  changed: RefusalsSchema.describe('Replayed against the changed limit.'),
  most_refused: z
    .array(
      z.object({
        identifier: z.string(),
        api_key_name: z.string().nullable().describe('Where the identifier is an API key.'),
        ...bounds.shape,
      }),
    )
    .describe('The identifiers that the changed limit would have refused most often, at most ten.'),
  used_up: z
    .object({
      keys: count.describe('Keys of the tier that were looked at.'),
      keys_left_out: count.describe('Further keys of the tier.'),
      in_force: count.describe('Keys that have used all of the limit in force.'),
      changed: count.describe('Keys that have used all of the changed limit, and are refused until their month ends.'),
      most: z.array(z.string()).describe('Names of the latter, those that are most over it first, at most ten.'),
    })
    .optional()
    .describe('Of a quota: every key of the tier, whether it asked in the last hour or not.'),
});
export type DryRunLimit = z.infer<typeof DryRunLimitSchema>;

const DryRunSchema = object('DryRun', {
  from: TimestampSchema,
  to: TimestampSchema.describe('The last whole minute.'),
  known_from: TimestampSchema.nullable().describe('The first minute with traffic in the hour; null if there was none.'),
  requests: count.describe('Decisions in that hour, without bypasses; each counts once, at any cost.'),
  refused: count.describe('Of these, actually refused, by any limit in force.'),
  limits: z.array(DryRunLimitSchema).describe('One per limit that the change touches.'),
  in_force: bounds.describe('Units that the limits which the change touches would have refused as they are.'),
  changed: bounds.describe('Units that they would have refused as changed.'),
  not_replayed: z
    .array(z.string())
    .describe(
      'Changes that cannot be replayed: the global throttle (no per-second data is stored) and the behaviour while the store is down.',
    ),
  warning: z
    .string()
    .optional()
    .describe('Route rules whose cost is above a changed limit: their requests would never be admitted.'),
});
/** Simulated effect of changed policies on the traffic of the last hour. */
export type DryRun = z.infer<typeof DryRunSchema>;

const dryRun = resource('/v1/admin/policies/dry-run', { tag: 'Policies' });

export const dryRunPolicies = dryRun.post('dryRunPolicies', 'viewer', {
  command: 'policies dry-run',
  summary: 'Replay the last hour with changed policies',
  description:
    'Takes the same merge patch as the change, changes nothing, and replays the last whole hour against each limit it touches. Requests are recorded in ten-second steps for the 64 busiest identifiers of every minute and limit, so each result is a lower and an upper bound for these, plus a count of all other requests. Everything but `requests` and `refused` of the answer is in units: a request counts as much as it costs. Where requests cost more than 1, a limit can refuse up to the cost of one request more in each window. Callers that would have behaved differently when refused are not modelled.',
  body: declarePatch(PoliciesPatch),
  example: { body: { classes: { auth: { ip: { limit: 5 } } } } },
  response: ok('What would have been refused.', DryRunSchema),
});
