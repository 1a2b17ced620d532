import { z } from 'zod';
import { EndpointClassSchema, IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
import { identifierFields, withCanonicalIdentifier } from '@/lib/contract/fields/identifier';
import { InstantSchema } from '@/lib/contract/fields/instant';

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
