import { z } from 'zod';
import { EndpointClassSchema, IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
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

export const putOverride = {
  id: 'putOverride',
  method: 'PUT',
  path: '/v1/admin/rate-limit/overrides',
  tag: 'Overrides',
  summary: 'Set an own limit for one identifier',
  description:
    'For one class. Replaces the one that the type, identifier and class have. A limit of 0 refuses everything. Of several ranges an address lies in, the most specific wins; IPv6 addresses are still counted by /64.',
  access: 'operator',
  body: { schema: NewOverride, required: true },
  response: { status: 200, description: 'The limit is in force.', schema: OverrideSchema },
  errors: ['conflict'],
  example: {
    body: {
      type: 'ip',
      identifier: '203.0.113.7',
      class: 'read',
      limit: 1000,
      window_seconds: 60,
      reason: 'Partner crawler',
    },
  },
} as const satisfies Contract;

export const listOverrides = {
  id: 'listOverrides',
  method: 'GET',
  path: '/v1/admin/rate-limit/overrides',
  tag: 'Overrides',
  summary: 'List own limits',
  description: `Newest first unless \`sort\` says otherwise; 100 on a page unless \`limit\` does. As CSV or JSON lines all that match, newest first.`,
  access: 'viewer',
  query: z.strictObject({
    ...exportParameters,
    status: z
      .enum(['active', 'expired', 'all'], 'must be active, expired or all')
      .default('active')
      .describe('Removed overrides are in none of them.'),
    type: oneOrMore(IdentifierTypeSchema.options),
    class: oneOrMore(EndpointClassSchema.options),
    q: searchParameter('Part of the identifier or the reason, in any letter case (of ASCII).'),
    sort: sortParameter(
      ['created_at', 'expires_at', 'last_used_at', 'identifier', 'class', 'limit', 'reason'],
      '-created_at',
    ),
  }),
  response: {
    status: 200,
    description: 'A page of overrides.',
    schema: z.array(OverrideSchema),
    headers: NEXT_PAGE,
    mediaTypes: EXPORT_MEDIA_TYPES,
  },
  example: { query: { limit: '50' } },
} as const satisfies Contract;

export const removeOverride = {
  id: 'removeOverride',
  method: 'DELETE',
  path: '/v1/admin/rate-limit/overrides',
  tag: 'Overrides',
  summary: 'Remove an own limit',
  access: 'operator',
  body: { schema: OverrideTarget, required: true },
  response: { status: 204, description: 'The policy of the class holds again.' },
  errors: ['not_found', 'conflict'],
  example: { body: { type: 'ip', identifier: '203.0.113.7', class: 'read' } },
} as const satisfies Contract;
