import { z } from 'zod';
import { EndpointClassSchema } from '@/lib/contract/fields/enumerations';
import { LimitName } from '@/lib/contract/fields/named-limit';
import { stepParameter } from '@/lib/contract/fields/step';
import { TimestampInput, TimestampSchema } from '@/lib/contract/fields/timestamp';
import { wholeNumber } from '@/lib/contract/fields/whole-number';
import { count, object, ok, resource } from '@/lib/contract/resource';

const OutcomeCountsSchema = object('OutcomeCounts', {
  allowed: count,
  refused: count,
  bypassed: count,
  degraded: count,
  observed: count.describe('Let through by an incident, though a limit would have refused them.'),
});
export type OutcomeCounts = z.infer<typeof OutcomeCountsSchema>;

const decisionCounts = {
  ...OutcomeCountsSchema.shape,
  classes: z.record(EndpointClassSchema, OutcomeCountsSchema).describe('The same by endpoint class; all are included.'),
  reasons: z.record(z.string(), count).describe('Refusals by error code; only codes that occurred.'),
  limit_refusals: count.describe('Refusals by named limits; `reasons` counts them as `rate_limit_exceeded`.'),
};

const LimitCountsSchema = object('LimitCounts', {
  allowed: count,
  refused: count.describe('Refusals that name this limit, as the decision log has them.'),
  degraded: count,
  observed: count.describe('Let through by an incident, though this limit would have refused them.'),
  units: count.describe('Units of the decisions that were let through. A limit with only places counts one each.'),
  refused_units: count.describe('Units of the refusals.'),
  reserved: count.describe('The part of `units` that could be settled afterwards.'),
  settled: count.describe('Units that settlements and refunds replaced, at the time of the settlement.'),
  settled_used: count.describe('Units that were used in their place.'),
});

const limitCounts = z.record(z.string(), LimitCountsSchema);

const StatisticsPointSchema = object('StatisticsPoint', {
  start: TimestampSchema,
  ...decisionCounts,
  limits: limitCounts.describe(
    'By named limit; only limits with decisions, at most the 20 with the most decisions of the whole time.',
  ),
});
export type StatisticsPoint = z.infer<typeof StatisticsPointSchema>;

const RefusedIdentifierSchema = object('TopRefusedIdentifier', {
  type: z.enum(['ip', 'client', 'user', 'limit', 'quota', 'global']),
  identifier: z.string().describe('With `limit`: the subject of the named limit.'),
  limit_name: z.string().nullable().describe('The named limit, if one refused.'),
  api_key_name: z.string().nullable().describe('Where the identifier is an API key.'),
  refused: count.describe('A lower bound: rare identifiers of a busy minute may be missing.'),
  classes: z.partialRecord(EndpointClassSchema, count),
});
export type TopRefusedIdentifier = z.infer<typeof RefusedIdentifierSchema>;

const StatisticsQuery = z.strictObject({
  from: TimestampInput.optional().describe('Start; rounded down to the step. Default: 60 steps before `to`.'),
  to: TimestampInput.optional().describe('End; rounded up to the step. Default: now.'),
  step: stepParameter,
  top: wholeNumber(0, 100)
    .optional()
    .describe('The number of refused identifiers, 0 to 100. Default 10.')
    .meta({ example: 10 }),
  limit_name: LimitName.optional().describe('Only this named limit in `limits`.'),
});

const StatisticsSchema = object('Statistics', {
  from: TimestampSchema,
  to: TimestampSchema,
  step: z.int().describe('Seconds.'),
  complete_from: TimestampSchema.describe('Counts of this step are kept from here on; earlier points may be empty.'),
  totals: z.object({ ...decisionCounts, limits: limitCounts.describe('By named limit; only limits with decisions.') }),
  points: z.array(StatisticsPointSchema).describe('Every step from `from` to `to`, including empty ones.'),
  top_refused: z.array(RefusedIdentifierSchema).describe('Most refused first.'),
});
export type Statistics = z.infer<typeof StatisticsSchema>;

const tag = 'Observability';

const part = z.object({ ok: z.boolean(), latency_ms: z.number().min(0) });

export const readOverview = resource('/v1/admin/overview', { tag }).get('readOverview', 'viewer', {
  command: 'statistics overview',
  summary: 'Read the health of the parts and the traffic of the last minute',
  description:
    'Polled by the dashboard every few seconds: database, migrations, counter store, breaker, and the number of decisions in the last whole minute.',
  response: ok(
    'The health of the parts.',
    object('Overview', {
      at: TimestampSchema,
      health: z.object({
        database: part.extend({ kind: z.enum(['embedded', 'remote']) }),
        migrations: part,
        counter_store: part.extend({
          kind: z.enum(['embedded', 'remote', 'redis', 'local']),
          cluster: z.literal(true).optional().describe('The counters are in a Redis Cluster.'),
          clock_skew_ms: z.int().describe('Its clock minus that of this process at the last decision; 0 before one.'),
        }),
        breaker: z.object({ state: z.enum(['closed', 'open', 'half-open']) }),
        statistics: z.object({
          ok: z.boolean(),
          failures: count.describe('Failed writes since the last successful one.'),
        }),
      }),
      last_minute: OutcomeCountsSchema.describe('Decisions of the last whole minute, over all processes.'),
      widely_trusted: z
        .array(z.string())
        .describe(
          'The ranges of `SLUICE_TRUSTED_PROXIES` that trust a part of the internet: they hold public addresses, and are wider than /8 (IPv6: /24), alone or together. Callers from there choose the address that counts.',
        ),
      allowlisted: count.describe('Active allowlist entries.'),
      api_keys: count.describe('Registered API keys.'),
    }),
  ),
});

export const readStatistics = resource('/v1/admin/statistics', { tag }).get('readStatistics', 'viewer', {
  command: 'statistics decisions',
  summary: 'Count decisions by step',
  description:
    'By outcome, class and named limit. The last hour by minute, unless `from`, `to` and `step` are given. Counts lag about a second behind the decisions. Minutes are kept for 2 days, hours for 60 days, days for 2 years.',
  query: StatisticsQuery,
  example: { query: { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z', step: '900' } },
  response: ok('The counts.', StatisticsSchema),
});
