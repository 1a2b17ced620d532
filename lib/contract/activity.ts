import { z } from 'zod';
import { callerFields, withCanonicalIdentifier } from '@/lib/contract/fields/identifier';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { count, object, ok, resource } from '@/lib/contract/resource';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

const counts = { allowed: count, refused: count };

const ActivitySchema = object('Activity', {
  type: z.enum(['ip', 'user_id', 'api_key']),
  identifier: z.string().describe('As it is counted: an IPv6 address as its /64.'),
  from: TimestampSchema.describe('Start of the first minute.'),
  to: TimestampSchema.describe('End of the last whole minute.'),
  complete: z
    .boolean()
    .describe(
      'Whether every request was counted one by one. Else all numbers are lower bounds: of each minute and class only the 64 busiest callers are.',
    ),
  classes: z
    .array(z.object({ class: z.enum([...ENDPOINT_CLASSES, 'all']), ...counts }))
    .describe('Only classes with requests; `all` for API keys, which are counted in all classes together.'),
  minutes: z
    .array(z.object({ start: TimestampSchema, ...counts }))
    .describe('Only minutes with requests, oldest first.'),
});
export type Activity = z.infer<typeof ActivitySchema>;

export const readActivity = resource('/v1/admin/statistics/activity', { tag: 'Observability' }).get(
  'readActivity',
  'viewer',
  {
    command: 'statistics activity',
    summary: 'Count what one caller sent in the last hour',
    description:
      'Allowed and refused requests of an address, user or API key in the last 60 whole minutes, by their cost. A minute is counted a few seconds after its end. Requests that bypass rate limiting, and those of OAuth clients, are not counted by caller.',
    query: z
      .strictObject({ ...callerFields, type: ActivitySchema.shape.type })
      .transform((query, context) => ({ ...withCanonicalIdentifier(query, context), type: query.type })),
    example: { query: { type: 'ip', identifier: '203.0.113.7' } },
    response: ok('The counts.', ActivitySchema),
  },
);
