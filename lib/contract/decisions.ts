import { z } from 'zod';
import { CallerTypeSchema, EndpointClassSchema, RefusalCodeSchema } from '@/lib/contract/fields/enumerations';
import { declareExport, exportParameters, searchIn } from '@/lib/contract/fields/list';
import { LimitName } from '@/lib/contract/fields/named-limit';
import { stepParameter } from '@/lib/contract/fields/step';
import { TimestampSchema, timeRange } from '@/lib/contract/fields/timestamp';
import { count, object, ok, resource } from '@/lib/contract/resource';

const DecisionOutcomeSchema = z.enum(['refused', 'bypassed', 'degraded', 'observed']).meta({
  id: 'DecisionOutcome',
  description: 'The outcome; allowed requests are counted but not listed. `observed`: let through by an incident.',
});

export const DecisionSubjectSchema = z.enum(['ip', 'client', 'user', 'limit', 'quota', 'global']).meta({
  id: 'DecisionSubject',
  description: 'The subject that refused or bypassed; `global` is the throttle of the instance.',
});

const DecisionSourceSchema = z
  .enum(['policy', 'override', 'client', 'tier', 'limit', 'key', 'allowlist', 'throttle', 'incident'])
  .meta({
    id: 'DecisionSource',
    description:
      'Where the limit that refused came from; `limit`: a named limit; `key`: its numbers for one API key; `allowlist` for a bypass, `throttle` for that of the instance, `incident` for a write.',
  });

export const DecisionSchema = object('LoggedDecision', {
  id: z.int().min(1),
  at: TimestampSchema,
  outcome: DecisionOutcomeSchema,
  class: EndpointClassSchema.nullable().describe('Null if only named limits decided.'),
  reason: z.string().nullable().describe('The error code of a refusal.'),
  subject: DecisionSubjectSchema.nullable(),
  identifier: z.string().nullable().describe('The address (IPv6 as its /64), user, client or key of that subject.'),
  method: z.string().nullable(),
  path: z.string().nullable().describe('Without query, at most 512 characters.'),
  ip: z.string().nullable(),
  user_id: z.string().nullable(),
  api_key_id: z.string().nullable(),
  api_key_name: z.string().nullable(),
  request_id: z.string().nullable().describe('The `X-Request-Id` of the answer.'),
  limit: count.nullable().describe('Limit of the subject that refused.'),
  window_seconds: count.nullable(),
  used: count.nullable().describe('Of that limit, before the request.'),
  cost: count.nullable(),
  retry_after: count.nullable().describe('Seconds.'),
  reset: count.nullable().describe('When the full limit was to be available again; Unix seconds.'),
  source: DecisionSourceSchema.nullable(),
  source_id: z
    .string()
    .nullable()
    .describe(
      'Id of the override, the API key or the allowlist entry; the client type, the tier or the name of the limit.',
    ),
  count: z
    .int()
    .min(1)
    .describe(
      'The number of decisions that this row stands for. Above 1 in a flood: all of one second, class, outcome and reason. Identity and request are null where they differ; the other fields are those of the first.',
    ),
  limit_name: z.string().nullable().describe('The named limit that refused.'),
});
export type LoggedDecision = z.infer<typeof DecisionSchema>;

const text = z.string().min(1).max(512);

const ApiKeyFilter = z.uuid('must be a uuid').toLowerCase().optional();

export const decisionFilters = {
  class: EndpointClassSchema.optional(),
  outcome: DecisionOutcomeSchema.optional(),
  reason: RefusalCodeSchema.optional(),
  subject: DecisionSubjectSchema.optional(),
  source: DecisionSourceSchema.optional(),
  limit_name: LimitName.optional().describe('The named limit that refused.'),
  type: CallerTypeSchema.optional().describe('Kind of `identifier`; given together with it.'),
  identifier: text
    .optional()
    .describe(
      'With `type`: decisions about this address or range, user, API key or client, whether or not it was the subject that refused. Without: the subject that refused or bypassed, exactly as listed.',
    ),
  method: text.toUpperCase().optional(),
  path: text.optional().describe('A prefix of the path.'),
  ip: text.optional().describe('An address or a range; of a range at most 10,000 addresses of the log.'),
  user_id: text.optional(),
  api_key_id: ApiKeyFilter,
  api_key: ApiKeyFilter.describe('The same as `api_key_id`.'),
  request_id: text.optional().describe('The `X-Request-Id` of an answer.'),
  q: searchIn(
    'Part of the identifier, path, address, user, request id or name of the API key; ASCII letter case is ignored.',
  ),
  ...timeRange,
};
export type DecisionFilters = z.output<z.ZodObject<typeof decisionFilters>>;

export const listDecisions = resource('/v1/admin/decisions', { tag: 'Observability' }).get('listDecisions', 'viewer', {
  command: 'decisions list',
  summary: 'List the newest refusals and bypasses',
  description:
    'Newest first; 100 per page unless `limit` is given. Decisions reach the log after about a second. Allowed requests are counted but not listed. In a flood the log has about 100 rows per second, and about 10 per second of one identifier. Further decisions raise the `count` of a row, so the counts add up to all decisions. With `Accept: text/event-stream` the answer is a live stream of `decision` events, which resumes after `Last-Event-ID`; a caller may have 20 of them open, then gets 429; CSV and JSON lines contain all matches.',
  query: z.strictObject({ ...decisionFilters, ...exportParameters }),
  example: { query: { outcome: 'refused', class: 'auth', limit: '50' } },
  response: declareExport('The decisions.', DecisionSchema, 'text/event-stream'),
});

/** Counts of decisions, without allowed requests. */
const loggedCounts = {
  refused: count,
  bypassed: count,
  degraded: count,
  observed: count.describe('Let through by an incident, though a limit would have refused them.'),
  reasons: z.record(z.string(), count).describe('Refusals by error code; only codes that occurred.'),
  limit_refusals: count.describe('Refusals by named limits; `reasons` counts them as `rate_limit_exceeded`.'),
};

const DecisionCountsSchema = object('DecisionCounts', {
  from: TimestampSchema,
  to: TimestampSchema,
  step: z.int().describe('Seconds.'),
  source: z
    .enum(['statistics', 'log'])
    .describe(
      '`statistics`: exact, if class, outcome, reason, named limit and whole steps are the only filters. `log`: the sum of the `count` of the matching rows.',
    ),
  totals: z.object({ total: count.describe('The sum of the four outcomes.'), ...loggedCounts }),
  points: z
    .array(z.object({ start: TimestampSchema, ...loggedCounts }))
    .describe('Every step from `from` to `to`, including empty ones.'),
  log: z.object({
    rows: count.describe('Matching rows of the log.'),
    decisions: count.describe('Decisions that these rows stand for.'),
    unattributed: count.describe(
      'Decisions of the same time, class, outcome and reason that may match as well: in a flood, their row lacks a filtered value.',
    ),
    complete_from: TimestampSchema.describe('The log has every row from here on. It keeps 30 days and 100,000 rows.'),
  }),
});
export type CountedDecisions = z.infer<typeof DecisionCountsSchema>;

export const countDecisions = resource('/v1/admin/decisions/counts', { tag: 'Observability' }).get(
  'countDecisions',
  'viewer',
  {
    command: 'decisions count',
    summary: 'Count refusals and bypasses by step',
    description:
      'Counts the decisions that `GET /v1/admin/decisions` lists under the same filters. The last hour by minute, unless `from`, `to` and `step` are given.',
    query: z.strictObject({ ...decisionFilters, step: stepParameter }),
    example: { query: { outcome: 'refused', class: 'auth' } },
    response: ok('The counts.', DecisionCountsSchema),
  },
);
