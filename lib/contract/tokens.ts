import { z } from 'zod';
import { DisplayName } from '@/lib/contract/fields/display-name';
import { TokenRoleSchema } from '@/lib/contract/fields/enumerations';
import { InstantInput, InstantSchema } from '@/lib/contract/fields/instant';

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
