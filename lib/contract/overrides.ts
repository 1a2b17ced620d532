import { z } from 'zod';
import { EndpointClassSchema, OverriddenTypeSchema } from '@/lib/contract/fields/enumerations';
import { coversField, exceptionFilters } from '@/lib/contract/fields/exception';
import { declareExport, oneOrMore, sortParameter } from '@/lib/contract/fields/list';
import { managedMark } from '@/lib/contract/fields/managed';
import { LimitName } from '@/lib/contract/fields/named-limit';
import { numbersFields } from '@/lib/contract/fields/numbers';
import { newOverrideFields, overrideTarget, parseTarget, parseWholeOverride } from '@/lib/contract/fields/override';
import { ExpiryInput, TimestampSchema } from '@/lib/contract/fields/timestamp';
import { declareNoContent, json, object, ok, resource } from '@/lib/contract/resource';

const OverrideSchema = object('Override', {
  id: z.string(),
  type: OverriddenTypeSchema,
  identifier: z
    .string()
    .describe(
      'An address, a range of addresses (the most specific one wins), a user id, or the subject of a named limit.',
    ),
  class: EndpointClassSchema.nullable().describe('Null if it is for a named limit.'),
  limit_name: LimitName.optional().describe('The named limit that it is for.'),
  ...numbersFields,
  reason: z.string(),
  expires_at: TimestampSchema.nullable().describe('When the policy applies again; null means never.'),
  created_at: TimestampSchema,
  created_by: z.string(),
  last_used_at: TimestampSchema.nullable().describe('When it last decided a request.'),
  narrower: z
    .string()
    .optional()
    .describe('Only in lists: the narrowest range that would have served all who have used it in the last 30 days.'),
  covered_by: z
    .string()
    .optional()
    .describe('Only in lists: an active allowlist entry for its callers, which leaves it without effect.'),
  within: z
    .string()
    .optional()
    .describe('Only in lists: the most specific override of its class for a wider range, which it replaces.'),
  covers: coversField,
  ...managedMark,
});
/** The numbers of one identifier in one class or named limit. They replace those of the limit. */
export type Override = z.infer<typeof OverrideSchema>;

const NewOverride = z
  .strictObject({ ...newOverrideFields, expires_at: ExpiryInput })
  .transform(parseWholeOverride)
  .meta({ id: 'NewOverride' });

const OverrideTarget = z.strictObject(overrideTarget).transform(parseTarget).meta({ id: 'OverrideTarget' });

const EXAMPLE = { type: 'ip', identifier: '203.0.113.7', class: 'read' };

const overrides = resource('/v1/admin/rate-limit/overrides', { tag: 'Overrides' });

export const putOverride = overrides.put('putOverride', 'operator', {
  command: 'overrides set',
  reason: 'body',
  summary: 'Override the limit of one identifier',
  description:
    'Replaces an existing override of the same type, identifier and class. A limit of 0 refuses everything. Among overlapping ranges the most specific wins. An IPv6 address, or a range within a /64, is overridden with its whole /64, because the addresses of a /64 share one counter; the answer names the /64. For a named limit, `type` is `subject`, `limit_name` takes the place of `class`, and `windows` that of `limit` and `window_seconds`.',
  body: json(NewOverride),
  example: { body: { ...EXAMPLE, limit: 1000, window_seconds: 60, reason: 'Partner crawler' } },
  response: ok('The override, in force.', OverrideSchema),
});

export const listOverrides = overrides.get('listOverrides', 'viewer', {
  command: 'overrides list',
  summary: 'List overrides',
  description: `Newest first unless \`sort\` is given; 100 per page unless \`limit\` is. CSV and JSON lines contain all matches, newest first.`,
  query: z.strictObject({
    ...exceptionFilters('Removed overrides are never listed.'),
    type: oneOrMore(OverriddenTypeSchema.options),
    class: oneOrMore(EndpointClassSchema.options),
    limit_name: LimitName.optional().describe('Only those of this named limit.'),
    sort: sortParameter(
      ['created_at', 'expires_at', 'last_used_at', 'identifier', 'class', 'limit', 'reason'],
      '-created_at',
    ),
  }),
  example: { query: { limit: '50' } },
  response: declareExport('A page of overrides.', OverrideSchema),
});

export const removeOverride = overrides.delete('removeOverride', 'operator', {
  command: 'overrides remove',
  reason: 'query',
  summary: 'Remove an override',
  body: json(OverrideTarget),
  example: { body: EXAMPLE },
  response: declareNoContent('The numbers of the class or the named limit apply again.'),
  errors: ['not_found'],
});
