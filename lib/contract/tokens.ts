import { z } from 'zod';
import { TokenRoleSchema } from '@/lib/contract/fields/enumerations';
import { AdminTokenIdSchema, idInPath } from '@/lib/contract/fields/ids';
import { declarePage, MAX_PAGE, oneOrMore, pageParameters, searchIn, sortParameter } from '@/lib/contract/fields/list';
import { DisplayName } from '@/lib/contract/fields/text';
import { ExpiryInput, TimestampSchema } from '@/lib/contract/fields/timestamp';
import { created, declareNoContent, input, json, object, resource } from '@/lib/contract/resource';

const AdminTokenSchema = object('AdminToken', {
  id: AdminTokenIdSchema,
  name: z.string(),
  role: TokenRoleSchema,
  prefix: z.string().describe('The first characters of the token, for recognition.'),
  expires_at: TimestampSchema.nullable(),
  created_at: TimestampSchema,
  created_by: z.string(),
  last_used_at: TimestampSchema.nullable().describe('Written at most once a minute.'),
});
export type AdminToken = z.infer<typeof AdminTokenSchema>;

const tokens = resource('/v1/admin/tokens', { tag: 'Tokens' });

export const createToken = tokens.post('createToken', 'owner', {
  command: 'tokens create',
  reason: 'query',
  summary: 'Create an admin token',
  description: 'The response contains the token, which is never shown again: only its SHA-256 is stored.',
  body: json(
    input('NewAdminToken', {
      name: DisplayName.describe(
        '1 to 100 characters after trimming; no two tokens that are not revoked share a name.',
      ).meta({ example: 'ci-pipeline' }),
      role: TokenRoleSchema.describe('`gateway` can only ask for decisions.'),
      expires_at: ExpiryInput,
    }),
  ),
  example: { body: { name: 'Deployment', role: 'operator' } },
  response: created(
    'The token.',
    AdminTokenSchema.extend({
      token: z
        .string()
        .describe('Sent as `Authorization: Bearer` or `X-Admin-Token`. Shown only once and stored hashed.'),
    }).meta({ id: 'CreatedAdminToken' }),
  ),
  idempotent: true,
});

export const listTokens = tokens.get('listTokens', 'viewer', {
  command: 'tokens list',
  summary: 'List admin tokens',
  description: `Newest first unless \`sort\` is given; includes expired tokens, not revoked ones. At most ${MAX_PAGE} per page.`,
  query: z.strictObject({
    ...pageParameters,
    role: oneOrMore(TokenRoleSchema.options),
    q: searchIn('Part of the name, the prefix or the creator; ASCII letter case is ignored.'),
    sort: sortParameter(
      ['created_at', 'name', 'prefix', 'role', 'expires_at', 'last_used_at', 'created_by'],
      '-created_at',
    ),
  }),
  response: declarePage('The tokens, without their secrets.', AdminTokenSchema),
});

const token = resource('/v1/admin/tokens/{id}', {
  tag: 'Tokens',
  ...idInPath(z.uuid('must be a uuid').toLowerCase().describe("The token's id.")),
});

export const revokeToken = token.delete('revokeToken', 'owner', {
  command: 'tokens revoke',
  reason: 'query',
  summary: 'Revoke an admin token',
  description: 'Requests with it are refused from now on. Its name can be reused; its record stays.',
  response: declareNoContent('The token is revoked.'),
});
