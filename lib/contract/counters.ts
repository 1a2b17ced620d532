import { z } from 'zod';
import { EndpointClassSchema, IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
import { identifierFields, withCanonicalIdentifier } from '@/lib/contract/fields/identifier';
import { InstantSchema } from '@/lib/contract/fields/instant';
import { ReasonSchema } from '@/lib/contract/fields/text';
import { count, json, noContent, object, ok, resource } from '@/lib/contract/resource';

const InspectedCounterSchema = object('InspectedCounter', {
  class: EndpointClassSchema,
  limit: count.describe('Requests per window; that of the override if the identifier has one.'),
  used: count,
  remaining: count,
  reset: count.describe('When the full limit is available again if no more requests come; Unix seconds.'),
  window_seconds: count,
  slots: z
    .array(z.object({ start: InstantSchema, hits: count }))
    .length(60)
    .describe(
      'The window, oldest first; the first also includes the slot that is leaving the window, so the sum is `used`.',
    ),
});
export type InspectedCounter = z.infer<typeof InspectedCounterSchema>;

const tag = 'Counters';
const identifier = { type: 'ip', identifier: '203.0.113.7' };

export const inspectCounters = resource('/v1/admin/rate-limit/counters', { tag }).get('inspectCounters', 'viewer', {
  summary: 'Inspect the counters of one identifier',
  description: 'An IPv6 address shows the counters of its /64. Wider ranges have no counter of their own.',
  query: z.strictObject(identifierFields).transform(withCanonicalIdentifier),
  example: { query: identifier },
  response: ok(
    'The counters of the identifier.',
    object('Inspection', {
      type: IdentifierTypeSchema,
      identifier: z.string(),
      allowlisted: z.boolean().describe('Whether the identifier bypasses rate limiting now.'),
      counters: z.array(InspectedCounterSchema),
    }),
  ),
});

/** For how long a reset of counters or of a quota can be undone. */
export const RESET_KEPT_MINUTES = 15;

const ResetTarget = z.strictObject({
  ...identifierFields,
  class: EndpointClassSchema.optional().describe('Only this class; all if absent.'),
});

const reset = resource('/v1/admin/rate-limit/reset', { tag });

export const previewReset = reset.get('previewReset', 'operator', {
  summary: 'Look at what a reset would clear',
  description: 'A reset that clears more than 10,000 counters cannot be undone.',
  query: ResetTarget.transform(withCanonicalIdentifier),
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
  reason: 'body',
  summary: 'Clear the rate limit counters of one identifier',
  description:
    'An IPv6 address is counted with its /64, so the counters of the whole /64 are cleared; a range clears those of every address in it. Quotas are not touched. What is cleared is kept for 15 minutes, for an undo, unless it is more than 10,000 counters.',
  body: json(
    ResetTarget.extend({ reason: ReasonSchema.optional() })
      .transform(withCanonicalIdentifier)
      .meta({ id: 'CounterReset' }),
  ),
  example: { body: { ...identifier, class: 'auth' } },
  response: noContent('The counters are clear, even if there was nothing to clear.'),
  idempotent: true,
});
