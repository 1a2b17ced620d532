import { z } from 'zod';
import { ApiKeyIdParameter } from '@/lib/contract/fields/ids';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { count, object, ok, resource } from '@/lib/contract/resource';

const percent = z
  .int()
  .min(0)
  .nullable()
  .describe('Largest used share of its tightest window, in percent. Null if no decision measured it.');

const LimitUseSchema = object('LimitInUse', {
  place: z
    .string()
    .describe('The limit: a path in the policies (`classes.read.ip`, `tier_rates.free`), or `limits.` and a name.')
    .meta({ example: 'classes.read.ip' }),
  units: count.describe('Units of the hour, admitted or refused. Bypassed decisions count nothing.'),
  refused_units: count.describe('The refused part.'),
  points: z.array(count).describe('Units by minute, oldest first.'),
  peak_percent: percent,
  nearest: z
    .array(z.object({ identifier: z.string(), api_key_name: z.string().nullable(), peak_percent: percent.unwrap() }))
    .describe('The three callers or subjects that came nearest to the limit, nearest first.'),
  last_day: object('LimitUseOfDay', { allowed: count, refused: count })
    .nullable()
    .describe(
      'With `api_key`: units of a named limit, or requests, of the key in the last 24 hours, in whole hours. Else null.',
    ),
});
export type LimitInUse = z.infer<typeof LimitUseSchema>;

export const readLimitUse = resource('/v1/admin/statistics/limits', { tag: 'Observability' }).get(
  'readLimitUse',
  'viewer',
  {
    command: 'statistics limits',
    summary: 'Read how much of each limit was used in the last hour',
    description:
      'Each limit of the policies and each named limit that counted a decision in the last 60 whole minutes: units by minute, the largest used share, and who came nearest. The 64 busiest callers of each minute are tracked one by one. Written once a minute is over.',
    query: z.strictObject({
      api_key: ApiKeyIdParameter.optional().describe(
        'Only this key: its client limit, and the named limits whose subject it is.',
      ),
    }),
    response: ok(
      'The limits in use: those of the policies first, then the named ones by name.',
      object('LimitUses', {
        from: TimestampSchema.describe('Start of the first minute.'),
        to: TimestampSchema.describe('End of the last minute.'),
        limits: z.array(LimitUseSchema),
      }),
    ),
    errors: ['not_found'],
  },
);
