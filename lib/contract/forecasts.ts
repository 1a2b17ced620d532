import { z } from 'zod';
import { QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { ApiKeyIdParameter, ApiKeyIdSchema } from '@/lib/contract/fields/ids';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { wholeNumber } from '@/lib/contract/fields/whole-number';
import { count, object, ok, resource } from '@/lib/contract/resource';
import { formatNumber } from '@/lib/format-number';

const time = TimestampSchema.nullable();

const ForecastSchema = object('QuotaForecast', {
  api_key_id: ApiKeyIdSchema,
  name: z.string(),
  tier: QuotaTierSchema,
  usage: count,
  limit: count,
  remaining: count,
  used_percent: z.number().describe('Share of the limit in percent. Can exceed 100 if overage is allowed.'),
  overage_allowed: z.boolean(),
  resets_at: TimestampSchema,
  per_day: z.number().min(0).describe('Mean of the last seven whole days (fewer if the key is younger), in requests.'),
  days_observed: z.int().min(0).max(7),
  runs_out_at: time.describe(
    'When the quota runs out at this pace; null if not before it resets. Never in the past: see `exhausted`.',
  ),
  earliest: time.describe('Start of the 80% interval around it, derived from how much the days differ.'),
  latest: time.describe(
    'End of that interval; null if the quota may last until it resets, or the interval is unknown.',
  ),
  interval_known: z
    .boolean()
    .describe('False with fewer than three days of use: then there is a pace but no interval.'),
  exhausted: z.boolean(),
  ends_with_grant: z
    .boolean()
    .describe('Whether the quota runs out at `runs_out_at` because a grant ends then, and more than the rest is used.'),
});
export type Forecast = z.infer<typeof ForecastSchema>;

/** Most keys that one answer has. */
export const MOST_FORECASTS = 1_000;

export const forecastQuotas = resource('/v1/admin/statistics/forecast', { tag: 'Observability' }).get(
  'forecastQuotas',
  'viewer',
  {
    command: 'statistics forecast',
    summary: 'Forecast which keys will run out of quota',
    description: `Keys above 80% (or \`threshold\`) of their quota, most used first, at most ${formatNumber(MOST_FORECASTS)}, with the time at which the quota runs out at the pace of the last seven whole days. The interval contains that time in 80% of cases, provided the coming days resemble the past ones, independently of each other; weekdays and trends are not modelled.`,
    query: z.strictObject({
      threshold: wholeNumber(0, 100)
        .optional()
        .describe('The percentage of its quota that a key must have used, at least. Default 80.')
        .meta({ example: 80 }),
      api_key: ApiKeyIdParameter.optional().describe('Only this key, at any usage.'),
    }),
    example: { query: { threshold: '80' } },
    response: ok('One forecast per key.', z.array(ForecastSchema)),
  },
);
