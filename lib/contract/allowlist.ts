import { z } from 'zod';
import { IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
import { coversField, exceptionFilters } from '@/lib/contract/fields/exception';
import { identifierFields, withCanonicalIdentifier } from '@/lib/contract/fields/identifier';
import { declareExport, sortParameter } from '@/lib/contract/fields/list';
import { managedMark } from '@/lib/contract/fields/managed';
import { ReasonSchema } from '@/lib/contract/fields/text';
import { ExpiryInput, TimestampSchema } from '@/lib/contract/fields/timestamp';
import { declareNoContent, json, object, ok, resource } from '@/lib/contract/resource';

export const AllowlistEntrySchema = object('AllowlistEntry', {
  id: z.string().describe('Identifier of the entry.'),
  type: IdentifierTypeSchema,
  identifier: z.string().describe('Canonical: RFC 5952 for IPv6, host bits of a range cleared.'),
  reason: z.string(),
  expires_at: TimestampSchema.nullable().describe('When the entry stops being active; null means never.'),
  created_at: TimestampSchema,
  created_by: z.string().describe('E-mail address of the member, or name of the token, that created the entry.'),
  narrower: z
    .string()
    .optional()
    .describe('Only in lists: the narrowest range that would have served all who have used it in the last 30 days.'),
  covered_by: z
    .string()
    .optional()
    .describe('Only in lists: the most specific wider range with an active entry, which lets the same requests pass.'),
  covers: coversField,
  ...managedMark,
});
export type AllowlistEntry = z.infer<typeof AllowlistEntrySchema>;

const NewAllowlistEntry = z
  .strictObject({ ...identifierFields, reason: ReasonSchema, expires_at: ExpiryInput })
  .transform(withCanonicalIdentifier)
  .meta({ id: 'NewAllowlistEntry' });

const IdentifierTarget = z
  .strictObject(identifierFields)
  .transform(withCanonicalIdentifier)
  .meta({ id: 'IdentifierTarget' });

const AllowlistAddedSchema = object('AllowlistAdded', {
  allowlisted: z.literal(true),
  identifier: z.string(),
  expires_at: TimestampSchema.nullable(),
});

const allowlist = resource('/v1/admin/rate-limit/allowlist', { tag: 'Allowlist' });

export const addAllowlistEntry = allowlist.post('addAllowlistEntry', 'operator', {
  command: 'allowlist add',
  reason: 'body',
  summary: 'Add an allowlist entry',
  description:
    'An active entry for the same type and identifier keeps its id and creator and gets the new reason and expiry. The answer contains the canonical identifier. A new entry for every address needs the policy `exceptions.allow_everyone`.',
  body: json(NewAllowlistEntry),
  example: { body: { type: 'ip', identifier: '203.0.113.7', reason: 'Office network', expires_at: null } },
  response: ok('The identifier bypasses rate limiting.', AllowlistAddedSchema),
  idempotent: true,
});

export const listAllowlist = allowlist.get('listAllowlist', 'viewer', {
  command: 'allowlist list',
  summary: 'List allowlist entries',
  description:
    'Newest first unless `sort` is given. Without `limit` and `cursor` the answer contains every entry. CSV and JSON lines contain all matches, newest first.',
  query: z.strictObject({
    ...exceptionFilters('Removed entries are never listed.'),
    expiry: z.enum(['set', 'never'], 'must be set or never').optional().describe('Whether the entry has an expiry.'),
    sort: sortParameter(['created_at', 'expires_at', 'identifier', 'type', 'reason', 'created_by'], '-created_at'),
  }),
  example: { query: { limit: '50' } },
  response: declareExport('The entries.', AllowlistEntrySchema),
});

export const removeAllowlistEntry = allowlist.delete('removeAllowlistEntry', 'operator', {
  command: 'allowlist remove',
  reason: 'query',
  summary: 'Remove an allowlist entry',
  description: 'Any spelling of an address matches its entry. An expired entry does not match.',
  body: json(IdentifierTarget),
  example: { body: { type: 'ip', identifier: '203.0.113.7' } },
  response: declareNoContent('The identifier is rate limited from the next decision on.'),
  errors: ['not_found'],
});
