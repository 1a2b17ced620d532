import { z } from 'zod';
import { IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
import { identifierFields, withCanonicalIdentifier } from '@/lib/contract/fields/identifier';
import { InstantInput, InstantSchema } from '@/lib/contract/fields/instant';
import {
  EXPORT_MEDIA_TYPES,
  exportParameters,
  NEXT_PAGE,
  oneOrMore,
  searchParameter,
  sortParameter,
} from '@/lib/contract/fields/list';
import { ReasonSchema } from '@/lib/contract/fields/reason';
import type { Contract } from '@/lib/contract/operation';

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

export const addAllowlistEntry = {
  id: 'addAllowlistEntry',
  method: 'POST',
  path: '/v1/admin/rate-limit/allowlist',
  tag: 'Allowlist',
  summary: 'Add an allowlist entry',
  description:
    'An active entry for the same type and identifier keeps its id and creator and gets the new reason and expiry. The answer carries the canonical identifier.',
  access: 'operator',
  body: { schema: NewAllowlistEntry, required: true },
  response: { status: 200, description: 'The identifier bypasses rate limiting.', schema: AllowlistAddedSchema },
  errors: ['conflict'],
  idempotent: true,
  example: { body: { type: 'ip', identifier: '203.0.113.7', reason: 'Office network', expires_at: null } },
} as const satisfies Contract;

export const listAllowlist = {
  id: 'listAllowlist',
  method: 'GET',
  path: '/v1/admin/rate-limit/allowlist',
  tag: 'Allowlist',
  summary: 'List allowlist entries',
  description:
    'Newest first, unless `sort` says otherwise. Without `limit` and `cursor` the answer holds every entry; as CSV or JSON lines it always does, newest first.',
  access: 'viewer',
  query: z.strictObject({
    ...exportParameters,
    status: z
      .enum(['active', 'expired', 'all'], 'must be active, expired or all')
      .default('active')
      .describe('Removed entries are in none of them.'),
    type: oneOrMore(IdentifierTypeSchema.options),
    q: searchParameter('Part of the identifier or the reason, in any letter case (of ASCII).'),
    expiry: z.enum(['set', 'never'], 'must be set or never').optional().describe('Whether the entry ends by itself.'),
    sort: sortParameter(['created_at', 'expires_at', 'identifier', 'type', 'reason', 'created_by'], '-created_at'),
  }),
  response: {
    status: 200,
    description: 'The entries.',
    schema: z.array(AllowlistEntrySchema),
    headers: NEXT_PAGE,
    mediaTypes: EXPORT_MEDIA_TYPES,
  },
  example: { query: { limit: '50' } },
} as const satisfies Contract;

export const removeAllowlistEntry = {
  id: 'removeAllowlistEntry',
  method: 'DELETE',
  path: '/v1/admin/rate-limit/allowlist',
  tag: 'Allowlist',
  summary: 'Remove an allowlist entry',
  description: 'Every spelling of an address finds its entry. An entry that has expired is none any more.',
  access: 'operator',
  body: { schema: IdentifierTarget, required: true },
  response: { status: 204, description: 'The identifier is rate limited from the next decision on.' },
  errors: ['not_found', 'conflict'],
  example: { body: { type: 'ip', identifier: '203.0.113.7' } },
} as const satisfies Contract;
