import { z } from 'zod';
import { EndpointClassSchema } from '@/lib/contract/fields/enumerations';
import { InstantSchema } from '@/lib/contract/fields/instant';
import { PoliciesPatch } from '@/lib/contract/policies';
import { namedObject, ok, patchOf, resource } from '@/lib/contract/resource';

const count = z.int().min(0);
const bounds = z.object({ at_least: count, at_most: count });

const RefusalsSchema = namedObject('DryRunRefusals', {
  at_least: count.describe('Certainly so many requests.'),
  at_most: count.describe('Not more than so many.'),
  identifiers: bounds.describe('How many identifiers would have been refused at least once.'),
});
export type Refusals = z.infer<typeof RefusalsSchema>;

/** One limit that the change concerns. */
const DryRunLimitSchema = namedObject('DryRunLimit', {
  path: z.string().describe('Which limit of the policies, for example `classes.auth.ip` or `tiers.free`.'),
  subject: z.enum(['ip', 'user', 'client', 'quota']),
  class: EndpointClassSchema.nullable().describe('Null where all classes count together.'),
  requests: count.describe('Requests, by cost, of the identifiers that are followed one by one.'),
  requests_not_followed: count.describe('Requests of all others: what the limit would have done to them is not known.'),
  history_short: z
    .boolean()
    .describe('The window is longer than the hour before the replay: what it held already is not known.'),
  in_force: RefusalsSchema.describe('Replayed against the limit in force.'),
  changed: RefusalsSchema.describe('Replayed against the changed limit.'),
  most_refused: z
    .array(z.object({ identifier: z.string(), ...bounds.shape }))
    .describe('Identifiers that the changed limit would have refused most, at most ten.'),
});
export type DryRunLimit = z.infer<typeof DryRunLimitSchema>;

const DryRunSchema = namedObject('DryRun', {
  from: InstantSchema,
  to: InstantSchema.describe('The last whole minute.'),
  known_from: InstantSchema.nullable().describe('The first minute with traffic in the hour; null when there was none.'),
  requests: count.describe('Decisions in that hour, bypasses left out.'),
  refused: count.describe('Of these, really refused, by whatever limit was in force.'),
  limits: z.array(DryRunLimitSchema).describe('One for each limit that the change touches.'),
  in_force: bounds.describe('Requests that the touched limits refuse as they are.'),
  changed: bounds.describe('Requests that they would have refused if they were changed.'),
  not_replayed: z
    .array(z.string())
    .describe(
      'What was changed and cannot be replayed: the global throttle (nothing is kept by the second), what is done while the store is down.',
    ),
});
/** What changed policies would have done to the traffic of the last hour. */
export type DryRun = z.infer<typeof DryRunSchema>;

const dryRun = resource('/v1/admin/policies/dry-run', { tag: 'Policies' });

export const dryRunPolicies = dryRun.post('dryRunPolicies', 'viewer', {
  summary: 'Try a change of the policies on the last hour',
  description:
    'Takes the same merge patch as the change itself, changes nothing, and replays the last whole hour against each limit that it touches. The requests of each identifier are known by ten seconds, for the 64 busiest identifiers of every minute and limit, so every answer is a lower and an upper bound for these, and a count of the requests of the others. The bounds hold for requests of cost 1. Callers who would have behaved differently when refused are not foreseen.',
  body: patchOf(PoliciesPatch),
  example: { body: { classes: { auth: { ip: { limit: 5 } } } } },
  response: ok('What would have been refused.', DryRunSchema),
});
