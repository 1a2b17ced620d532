import { z } from 'zod';
import { CheckResultSchema, checkFields, refineCheck } from '@/lib/contract/check';
import { EndpointClassSchema, QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { ApiKeyIdParameter, ApiKeyIdSchema } from '@/lib/contract/fields/ids';
import { StoredIncidentSchema } from '@/lib/contract/fields/incident';
import { BypassSchema, LimitSourceSchema } from '@/lib/contract/fields/limit-source';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { count, json, object, ok, resource } from '@/lib/contract/resource';

const RateLimitedSubject = z.enum(['ip', 'client', 'user', 'limit']);

const unixSeconds = count.describe('When the full limit is available again if no more requests come; Unix seconds.');
const unread = 'Null while the counters cannot be read.';

/** State of one limit before the request. */
const standing = {
  limit: count.describe('In force; half of it while the store is down.'),
  source: LimitSourceSchema,
  used: count.nullable().describe(`Before this request. ${unread}`),
  remaining: count.nullable().describe(`Before this request. ${unread}`),
  reset: unixSeconds.nullable(),
  refuses: z.boolean().describe('Whether it refuses this request.'),
  retry_after: z
    .int()
    .min(1)
    .nullable()
    .describe('Seconds until it admits such a request. Null if it does now, or never will.'),
};

const ExplainedSubjectSchema = object('ExplainedSubject', {
  subject: RateLimitedSubject,
  limit_name: z.string().optional().describe('Name of the named limit.'),
  in_flight: z.literal(true).optional().describe('It counts places in flight; the window is their lease.'),
  identifier: z.string().describe('The address, user, client or API key, or the subject of a named limit.'),
  counted_as: z.string().describe('What is counted: an IPv6 address counts as its /64.'),
  name: z.string().nullable().describe('Name of the API key.'),
  bypass: BypassSchema.nullable().describe('The limit is that which would apply without it.'),
  window_seconds: count.describe('2,678,400 for a month.'),
  cost: count.describe('Cost of the request under this limit.'),
  ...standing,
});

const ExplainedQuotaSchema = object('ExplainedQuota', {
  api_key_id: ApiKeyIdSchema,
  name: z.string(),
  tier: QuotaTierSchema,
  overage_allowed: z.boolean().describe('Whether the key may exceed its quota.'),
  ...standing,
  limit: count.describe('Requests in a month of the key, with what is granted.'),
  granted: count.describe('What active grants add to the limit of the tier.'),
});

const ClassSourceSchema = object('ClassSource', {
  kind: z.enum(['request', 'route_rule', 'default']).describe('`request`: the request names its class.'),
  rule: z.int().min(1).optional().describe('Place of the route rule in the ordered list.'),
  method: z.string().optional().describe('Method of the route rule.'),
  path: z.string().optional().describe('Pattern of the route rule.'),
  detail: z.string().describe('The source in words.'),
});

const DecisionExplanationSchema = object('DecisionExplanation', {
  at: TimestampSchema.describe('By the clock of the counters.'),
  class: EndpointClassSchema.nullable().describe('Null if only named limits decide.'),
  class_source: ClassSourceSchema,
  cost: count,
  cost_source: z.enum(['request', 'route_rule', 'default']),
  preflight: z
    .boolean()
    .optional()
    .describe('A CORS preflight that counts nowhere: there are no subjects and no quota (policy `count_preflights`).'),
  throttle: z
    .object({
      limit: count,
      window_seconds: count,
      used: count,
      remaining: count,
      counted: z
        .boolean()
        .describe(
          'Whether this instance counts such a request when it serves it itself. A check through the decision API is never counted.',
        ),
    })
    .meta({ id: 'ExplainedThrottle', description: 'The throttle of the instance that answers.' }),
  store: z
    .object({ available: z.boolean(), on_failure: z.enum(['closed', 'local']) })
    .describe(
      'Whether the counters can be reached, and what the class does while they cannot: refuse, or decide locally at half its limits.',
    ),
  incident: StoredIncidentSchema.describe('In force; null without one.'),
  api_key: z
    .object({ valid: z.boolean(), id: ApiKeyIdSchema.nullable(), name: z.string().nullable() })
    .nullable()
    .describe('Null if the request has no key. A key that is not valid is unknown, revoked or expired.'),
  subjects: z.array(ExplainedSubjectSchema).describe('In the order in which refusals are reported.'),
  quota: ExplainedQuotaSchema.nullable().describe('Null without a valid API key.'),
  refused_by: z
    .array(z.enum(['ip', 'client', 'user', 'limit', 'quota']))
    .describe('All subjects that refuse; the first names the error.'),
  decision: CheckResultSchema.describe('What the next check answers.'),
});
export type DecisionExplanation = z.infer<typeof DecisionExplanationSchema>;

const ExplainedRequest = z
  .strictObject({
    ...checkFields,
    api_key_id: ApiKeyIdParameter.optional().describe("The key's uuid, in place of `api_key`."),
  })
  .superRefine((request, context) => {
    const { api_key_id: id, ...check } = request;
    refineCheck(check, context, id !== undefined);
    const other = check.api_key !== undefined ? 'api_key' : check.client_id !== undefined ? 'client_id' : null;
    if (id === undefined || other === null) return;
    context.addIssue({ code: 'custom', path: ['api_key_id'], message: `cannot be combined with ${other}` });
  })
  .meta({ id: 'ExplainedRequest' });
export type ExplainedRequest = z.output<typeof ExplainedRequest>;

export const explainDecision = resource('/v1/admin/rate-limit/explain', { tag: 'Counters' }).post(
  'explainDecision',
  'viewer',
  {
    command: 'limits explain',
    summary: 'Explain the decision on a request',
    description:
      'What the next check of the same request would decide, and why: class, bypass, every limit with its source and usage, quota and throttle. Consumes nothing and is not logged.',
    body: json(ExplainedRequest),
    example: { body: { method: 'GET', path: '/api/reports/7', ip: '203.0.113.7', user_id: 'alice' } },
    response: ok('The explanation.', DecisionExplanationSchema),
  },
);
