import { z } from 'zod';
import { EndpointClassSchema } from '@/lib/contract/fields/enumerations';
import { declareExport, exportParameters, oneOrMore, searchIn, sortParameter } from '@/lib/contract/fields/list';
import { managedMark } from '@/lib/contract/fields/managed';
import { LimitName } from '@/lib/contract/fields/named-limit';
import { numbersFields } from '@/lib/contract/fields/numbers';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { count, object, resource } from '@/lib/contract/resource';

export const EXCEPTION_KINDS = ['allowlist', 'override', 'grant'] as const;

/** Reasons to review an exemption. */
export const EXCEPTION_NOTES = ['ends_soon', 'never_used', 'wide', 'covered', 'overlapped', 'limited'] as const;

const Covering = z
  .object({ id: z.string(), identifier: z.string() })
  .meta({ id: 'CoveringEntry', description: 'Another exception for the same callers.' });

const ExceptionSchema = object('Exception', {
  kind: z.enum(EXCEPTION_KINDS),
  id: z.string(),
  type: z.enum(['ip', 'user_id', 'api_key', 'subject']),
  identifier: z
    .string()
    .describe('An address, a range, a user id, the uuid of an API key, or the subject of a named limit.'),
  api_key_name: z.string().nullable().describe('Name of the key of a grant.'),
  class: EndpointClassSchema.nullable().describe('Class of an override.'),
  limit_name: LimitName.optional().describe('Named limit of an override.'),
  limit: count.nullable().describe('Limit of an override.'),
  window_seconds: count.nullable().describe('Window of an override.'),
  windows: numbersFields.windows,
  in_flight: numbersFields.in_flight,
  requests: count.nullable().describe('Requests of a grant.'),
  reason: z.string(),
  ends_at: TimestampSchema.nullable().describe('When it ends; null means never.'),
  created_at: TimestampSchema,
  created_by: z.string(),
  last_used_at: TimestampSchema.nullable().describe(
    'When it last decided a request, if that is stored; null for a grant.',
  ),
  would_be_limited: z
    .object({ at_least: count, since: TimestampSchema })
    .nullable()
    .describe(
      'Requests since `since` that would have been refused without it, a lower bound. Allowlist entry: of the bypasses that the decision log holds, by the limits in force now. Override: of the demand of the last hour that is followed by identifier, by the policy. Grant: what the key has used this month beyond its other limit. Null while that cannot be read, and of an override of a named limit.',
    ),
  notes: z
    .array(z.enum(EXCEPTION_NOTES))
    .describe(
      '`ends_soon`: within a day. `never_used`: at least an hour old, and no request is recorded that it decided; for a grant of this month: none that needed it. `wide`: a range wider than /24 (IPv4) or /48 (IPv6). `covered`: an allowlist entry covers it, so it has no effect. `overlapped`: another exception of its kind still applies without it. `limited`: requests would have been refused without it.',
    ),
  covered_by: z.array(Covering).describe('Allowlist entries that cover it, the most specific first.'),
  overlapped_by: z
    .array(Covering)
    .describe(
      'What still applies without it: of an override those of the same class for a wider range, the most specific first; of a grant the other ones of its key.',
    ),
  narrower: z
    .string()
    .nullable()
    .describe(
      'The narrowest range that covers all addresses that have used it since `narrower_since`. Null if no use is recorded, or no range is narrower.',
    ),
  narrower_since: TimestampSchema.nullable().describe(
    'Day, UTC, since which its callers are recorded. Null if `narrower` is null.',
  ),
  ...managedMark,
});
/** An exemption from the policies: an allowlist entry, an override or a grant. */
export type Exception = z.infer<typeof ExceptionSchema>;

export const listExceptions = resource('/v1/admin/exceptions', { tag: 'Exceptions' }).get('listExceptions', 'viewer', {
  command: 'exceptions list',
  summary: 'List allowlist entries, overrides and grants together',
  description:
    'Lists active exemptions, the earliest end first; 100 per page unless `limit` is given. Each has its recorded use, whether another one covers it, and a narrower range if that suffices.',
  query: z.strictObject({
    ...exportParameters,
    kind: oneOrMore(EXCEPTION_KINDS),
    note: z
      .enum(EXCEPTION_NOTES, `must be one of ${EXCEPTION_NOTES.join(', ')}`)
      .optional()
      .describe('Only those with this note.'),
    q: searchIn('Part of the identifier, the reason or the name of the key; ASCII letter case is ignored.'),
    sort: sortParameter(['ends_at', 'created_at', 'identifier', 'would_be_limited'], 'ends_at'),
  }),
  example: { query: { note: 'never_used' } },
  response: declareExport('A page of exceptions.', ExceptionSchema),
});
