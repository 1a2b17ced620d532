import { z } from 'zod';
import {
  CallerTypeSchema,
  ClientTypeSchema,
  EndpointClassSchema,
  QuotaTierSchema,
} from '@/lib/contract/fields/enumerations';
import { callerFields, withCanonicalIdentifier } from '@/lib/contract/fields/identifier';
import { BypassSchema, LimitSourceSchema } from '@/lib/contract/fields/limit-source';
import { LimitName } from '@/lib/contract/fields/named-limit';
import { ReasonSchema } from '@/lib/contract/fields/text';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { count, declareNoContent, json, object, ok, resource } from '@/lib/contract/resource';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

const InspectedCounterSchema = object('InspectedCounter', {
  class: z
    .enum([...ENDPOINT_CLASSES, 'all'])
    .nullable()
    .describe('`all` for API keys and OAuth clients: their limit is for all classes together. Null for a named limit.'),
  limit_name: LimitName.optional().describe('The named limit.'),
  unit: z.string().optional().describe('What the named limit counts.'),
  in_flight: z.literal(true).optional().describe('It counts places in flight; the window is their lease.'),
  limit: count.describe('Requests per window.'),
  source: LimitSourceSchema,
  used: count,
  remaining: count,
  reset: count.describe('When the full limit is available again if no more requests come; Unix seconds.'),
  window_seconds: count.describe('2,678,400 for a month.'),
  slots: z
    .array(z.object({ start: TimestampSchema, hits: count }))
    .max(60)
    .describe(
      'Empty for a month. Else the 60 parts of the window, oldest first; the first also includes the slot that is leaving the window, so the sum is `used`.',
    ),
});
export type InspectedCounter = z.infer<typeof InspectedCounterSchema>;

const tag = 'Counters';
const identifier = { type: 'ip', identifier: '203.0.113.7' };

const InspectedQuotaSchema = object('InspectedQuota', {
  tier: QuotaTierSchema,
  overage_allowed: z.boolean(),
  limit: count.describe('Units in a month of the key, with what is granted; a request uses 1, or its cost.'),
  granted: count.describe('What active grants add to the limit of the tier.'),
  source: LimitSourceSchema,
  used: count,
  remaining: count,
  reset: count.describe('When the month ends; now where nothing is used. Unix seconds.'),
});

export const inspectCounters = resource('/v1/admin/rate-limit/counters', { tag }).get('inspectCounters', 'viewer', {
  command: 'limits inspect',
  summary: 'Inspect the counters of one caller',
  description:
    'An IPv6 address shows the counters of its /64. Wider ranges have no counter of their own. An API key shows its client rate limit, the named limits whose subject it is, and its quota; one that has expired has none. A subject shows the named limits.',
  query: z
    .strictObject({
      ...callerFields,
      client_type: ClientTypeSchema.optional().describe(
        'Type of a `client_id`. By default that of the lab, or `public` for a client that is not registered there.',
      ),
      limit_name: LimitName.optional().describe('Only this named limit. By default all.'),
    })
    .superRefine(({ type, client_type, limit_name }, context) => {
      const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
      if (client_type !== undefined && type !== 'client_id') issue('client_type', 'is only for the type client_id');
      if (limit_name !== undefined && type !== 'subject' && type !== 'api_key')
        issue('limit_name', 'is only for the types subject and api_key');
    })
    .transform(withCanonicalIdentifier),
  example: { query: identifier },
  response: ok(
    'The counters of the caller.',
    object('Inspection', {
      type: CallerTypeSchema,
      identifier: z.string(),
      name: z.string().nullable().describe('Name of the API key.'),
      allowlisted: z.boolean().describe('Whether the caller bypasses rate limiting now.'),
      bypass: BypassSchema.nullable().describe('The entry because of which; of an API key, that of its user.'),
      counters: z.array(InspectedCounterSchema),
      quota: InspectedQuotaSchema.nullable().describe('Quota of the API key.'),
    }),
  ),
  errors: ['not_found'],
});

/** Time in which a reset of counters or of a quota can be undone. */
export const RESET_KEPT_MINUTES = 15;

const ResetTarget = z.strictObject({
  ...callerFields,
  class: EndpointClassSchema.optional().describe(
    'Only this class; all if absent. API keys and OAuth clients have one limit for all.',
  ),
  limit_name: LimitName.optional().describe('Only this named limit of a subject; all if absent.'),
});

type ResetFields = z.output<typeof ResetTarget> & { quota?: boolean | undefined };

function refineReset(
  { type, class: name, quota, limit_name: limit }: ResetFields,
  context: z.core.$RefinementCtx<unknown>,
): void {
  const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  if (quota !== undefined && type !== 'api_key') issue('quota', 'is only for the type api_key');
  if (name !== undefined && type !== 'ip' && type !== 'user_id') issue('class', 'is only for ip and user_id');
  if (limit !== undefined && type !== 'subject') issue('limit_name', 'is only for the type subject');
}

const reset = resource('/v1/admin/rate-limit/reset', { tag });

export const previewReset = reset.get('previewReset', 'viewer', {
  command: 'limits preview-reset',
  summary: 'Look at what a reset would clear',
  description: 'A reset that clears more than 10,000 counters cannot be undone.',
  query: ResetTarget.superRefine(refineReset).transform(withCanonicalIdentifier),
  example: { query: { ...identifier, class: 'auth' } },
  response: ok(
    'What a reset would clear now.',
    object('ResetPreview', {
      counters: count.describe('How many counters; more than 10,000 may not be counted to the end.'),
      undoable: z.boolean().describe(`Whether it could be undone, for ${RESET_KEPT_MINUTES} minutes.`),
    }),
  ),
});

export const resetCounters = reset.post('resetCounters', 'operator', {
  command: 'limits reset',
  reason: 'body',
  summary: 'Clear the rate limit counters of one caller',
  description:
    'An IPv6 address is counted with its /64, so the counters of the whole /64 are cleared; a range clears those of every address in it. Quotas are not touched, unless `quota` says so for an API key. What is cleared is kept for 15 minutes, for an undo, unless it is more than 10,000 counters.',
  body: json(
    ResetTarget.extend({
      quota: z.boolean().optional().describe('For an API key: also set its quota usage of this month to zero.'),
      reason: ReasonSchema.optional(),
    })
      .superRefine(refineReset)
      .transform(withCanonicalIdentifier)
      .meta({ id: 'CounterReset' }),
  ),
  example: { body: { ...identifier, class: 'auth' } },
  response: declareNoContent('The counters are clear, even if there was nothing to clear.'),
  errors: ['not_found'],
  idempotent: true,
});
