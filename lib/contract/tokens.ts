import { z } from 'zod';
import { DisplayName } from '@/lib/contract/fields/display-name';
import { TokenRoleSchema } from '@/lib/contract/fields/enumerations';
import { InstantInput, InstantSchema } from '@/lib/contract/fields/instant';
import {
  MAX_PAGE,
  NEXT_PAGE,
  oneOrMore,
  pageParameters,
  searchParameter,
  sortParameter,
} from '@/lib/contract/fields/list';
import type { Contract } from '@/lib/contract/operation';

/** An admin token without its secret. */
export const AdminTokenSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    role: TokenRoleSchema,
    prefix: z.string().describe('The first characters of the token, to recognise it by.'),
    expires_at: InstantSchema.nullable(),
    created_at: InstantSchema,
    created_by: z.string(),
    last_used_at: InstantSchema.nullable().describe('Written at most once a minute.'),
  })
  .meta({ id: 'AdminToken' });

export type AdminToken = z.infer<typeof AdminTokenSchema>;

/** A token that was just made: the only time it is shown. */
export const CreatedAdminTokenSchema = AdminTokenSchema.extend({
  token: z.string().describe('Sent as `Authorization: Bearer` or `X-Admin-Token`. Shown this once and stored hashed.'),
}).meta({ id: 'CreatedAdminToken' });

/** A token to make. */
export const NewAdminToken = z
  .strictObject({
    name: DisplayName.describe(
      '1 to 100 characters after trimming; no two tokens that are not revoked share a name.',
    ).meta({ example: 'ci-pipeline' }),
    role: TokenRoleSchema.describe('`gateway` can only ask for decisions.'),
    expires_at: InstantInput.nullish().describe('In the future, at most 10 years ahead; null means never.'),
  })
  .meta({ id: 'NewAdminToken' });

/** The path of the operations on one token. */
export const AdminTokenPath = z.strictObject({
  id: z.uuid('must be a uuid').toLowerCase().describe("The token's id."),
});

export const createToken = {
  id: 'createToken',
  method: 'POST',
  path: '/v1/admin/tokens',
  tag: 'Tokens',
  summary: 'Create an admin token',
  description: 'The token is in this answer and is never shown again: only its SHA-256 is stored.',
  access: 'owner',
  body: { schema: NewAdminToken, required: true },
  response: { status: 201, description: 'The token.', schema: CreatedAdminTokenSchema },
  errors: ['conflict'],
  idempotent: true,
  example: { body: { name: 'Deployment', role: 'operator' } },
} as const satisfies Contract;

export const listTokens = {
  id: 'listTokens',
  method: 'GET',
  path: '/v1/admin/tokens',
  tag: 'Tokens',
  summary: 'List admin tokens',
  description: `Newest first, expired ones included, revoked ones not. At most ${MAX_PAGE} in one answer.`,
  access: 'viewer',
  query: z.strictObject({
    ...pageParameters,
    role: oneOrMore(TokenRoleSchema.options),
    q: searchParameter('Part of the name, the prefix or the creator, in any letter case (of ASCII).'),
    sort: sortParameter(
      ['created_at', 'name', 'prefix', 'role', 'expires_at', 'last_used_at', 'created_by'],
      '-created_at',
    ),
  }),
  response: {
    status: 200,
    description: 'The tokens, without their secrets.',
    schema: z.array(AdminTokenSchema),
    headers: NEXT_PAGE,
  },
} as const satisfies Contract;

export const revokeToken = {
  id: 'revokeToken',
  method: 'DELETE',
  path: '/v1/admin/tokens/{id}',
  tag: 'Tokens',
  summary: 'Revoke an admin token',
  description: 'It opens nothing from the next request on. Its name becomes free; its record stays.',
  access: 'owner',
  params: AdminTokenPath,
  response: { status: 204, description: 'The token is revoked.' },
  errors: ['not_found', 'conflict'],
  example: { params: { id: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' } },
} as const satisfies Contract;
