import { z } from 'zod';
import { EndpointClassSchema, IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
import { identifierFields, withCanonicalIdentifier } from '@/lib/contract/fields/identifier';
import { InstantSchema } from '@/lib/contract/fields/instant';
import type { Contract } from '@/lib/contract/operation';

/** Which counters a reset clears. */
export const CounterReset = z
  .strictObject({ ...identifierFields, class: EndpointClassSchema.optional().describe('Only this class; else all.') })
  .transform(withCanonicalIdentifier)
  .meta({ id: 'CounterReset' });

const count = z.int().min(0);

/** One counter of an identifier as it stands. */
export const InspectedCounterSchema = z
  .object({
    class: EndpointClassSchema,
    limit: count.describe("Requests per window: the identifier's own limit where it has an override."),
    used: count,
    remaining: count,
    reset: count.describe('When the full limit is available again if nothing more is sent; Unix seconds.'),
    window_seconds: count,
    slots: z
      .array(z.object({ start: InstantSchema, hits: count }))
      .length(60)
      .describe(
        'The window, oldest first; the first also holds the slot that is leaving the window, so the sum is `used`.',
      ),
  })
  .meta({ id: 'InspectedCounter' });

export type InspectedCounter = z.infer<typeof InspectedCounterSchema>;

/** The counters of an identifier, one for each class. */
export const InspectionSchema = z
  .object({
    type: IdentifierTypeSchema,
    identifier: z.string(),
    allowlisted: z.boolean().describe('Whether the identifier bypasses rate limiting now.'),
    counters: z.array(InspectedCounterSchema),
  })
  .meta({ id: 'Inspection' });

export const inspectCounters = {
  id: 'inspectCounters',
  method: 'GET',
  path: '/v1/admin/rate-limit/counters',
  tag: 'Counters',
  summary: 'Inspect the counters of one identifier',
  description: 'An IPv6 address shows the counters of its /64. Wider ranges have no counter of their own.',
  access: 'viewer',
  query: z.strictObject(identifierFields).transform(withCanonicalIdentifier),
  response: { status: 200, description: 'What the identifier has used of its limits.', schema: InspectionSchema },
  errors: ['service_unavailable'],
  example: { query: { type: 'ip', identifier: '203.0.113.7' } },
} as const satisfies Contract;

export const resetCounters = {
  id: 'resetCounters',
  method: 'POST',
  path: '/v1/admin/rate-limit/reset',
  tag: 'Counters',
  summary: 'Clear the rate limit counters of one identifier',
  description:
    'An IPv6 address is counted with its /64, so the counters of the whole /64 are cleared; a range clears those of every address in it. Quotas are not touched.',
  access: 'operator',
  body: { schema: CounterReset, required: true },
  response: { status: 204, description: 'The counters are clear, also when there was nothing to clear.' },
  errors: ['conflict', 'service_unavailable'],
  idempotent: true,
  example: { body: { type: 'ip', identifier: '203.0.113.7', class: 'auth' } },
} as const satisfies Contract;
