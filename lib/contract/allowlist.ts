import { z } from 'zod';
import { IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
import { identifierFields, withCanonicalIdentifier } from '@/lib/contract/fields/identifier';
import { InstantInput, InstantSchema } from '@/lib/contract/fields/instant';
import { ReasonSchema } from '@/lib/contract/fields/reason';

/** An entry as the list gives it. */
export const AllowlistEntrySchema = z
  .object({
    id: z.string().describe('Identifier of the entry.'),
    type: IdentifierTypeSchema,
    identifier: z.string().describe('Canonical: RFC 5952 for IPv6, host bits of a range cleared.'),
    reason: z.string(),
    expires_at: InstantSchema.nullable().describe('From when on the entry is no longer active; null means never.'),
    created_at: InstantSchema,
    created_by: z.string().describe('E-mail address of the member, or name of the token, that created the entry.'),
  })
  .meta({ id: 'AllowlistEntry' });

export type AllowlistEntry = z.infer<typeof AllowlistEntrySchema>;

/** What adding an entry answers. */
export const AllowlistAddedSchema = z
  .object({ allowlisted: z.literal(true), identifier: z.string(), expires_at: InstantSchema.nullable() })
  .meta({ id: 'AllowlistAdded' });

/** An entry to add. */
export const NewAllowlistEntry = z
  .strictObject({
    ...identifierFields,
    reason: ReasonSchema,
    expires_at: InstantInput.nullish().describe('In the future, at most 10 years ahead; null or absent means never.'),
  })
  .transform(withCanonicalIdentifier)
  .meta({ id: 'NewAllowlistEntry' });

/** Which identifier an operation is about. */
export const IdentifierTarget = z
  .strictObject(identifierFields)
  .transform(withCanonicalIdentifier)
  .meta({ id: 'IdentifierTarget' });
