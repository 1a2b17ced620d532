import { z } from 'zod';
import { EndpointClassSchema, IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
import { identifierFields, withCanonicalIdentifier } from '@/lib/contract/fields/identifier';
import { InstantInput, InstantSchema } from '@/lib/contract/fields/instant';
import { ReasonSchema } from '@/lib/contract/fields/reason';
import { LimitSchema } from '@/lib/contract/policies';

/** An own limit for one identifier in one class. */
export const OverrideSchema = z
  .object({
    id: z.string(),
    type: IdentifierTypeSchema,
    identifier: z.string().describe('An address, a range of addresses (the most specific one wins) or a user id.'),
    class: EndpointClassSchema,
    ...LimitSchema.shape,
    reason: z.string(),
    expires_at: InstantSchema.nullable().describe('From when on the policy holds again; null means never.'),
    created_at: InstantSchema,
    created_by: z.string(),
    last_used_at: InstantSchema.nullable().describe('When a request was decided by it last.'),
  })
  .meta({ id: 'Override' });

export type Override = z.infer<typeof OverrideSchema>;

/** An override to set. */
export const NewOverride = z
  .strictObject({
    ...identifierFields,
    class: EndpointClassSchema,
    ...LimitSchema.shape,
    reason: ReasonSchema,
    expires_at: InstantInput.nullish().describe('In the future, at most 10 years ahead; null or absent means never.'),
  })
  .transform(withCanonicalIdentifier)
  .meta({ id: 'NewOverride' });

/** Which override is removed. */
export const OverrideTarget = z
  .strictObject({ ...identifierFields, class: EndpointClassSchema })
  .transform(withCanonicalIdentifier)
  .meta({ id: 'OverrideTarget' });
