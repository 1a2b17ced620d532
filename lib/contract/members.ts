import { z } from 'zod';
import { DisplayName } from '@/lib/contract/fields/display-name';
import { EmailInput } from '@/lib/contract/fields/email';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { InstantSchema } from '@/lib/contract/fields/instant';

/** Shortest password, in UTF-16 units. */
export const SHORTEST_PASSWORD = 8;
/** Longest password, in UTF-16 units. */
export const LONGEST_PASSWORD = 1_024;

/** The account at a provider by which a member signs in. */
export const ProviderAccountSchema = z
  .object({
    issuer: z.string().describe('The `iss` claim; `https://github.com` for GitHub.'),
    subject: z.string().describe('The `sub` claim; the numeric id at GitHub.'),
    bound_at: InstantSchema.describe('The first sign-in with it.'),
  })
  .meta({ id: 'ProviderAccount' });

/** A person who may come in. */
export const MemberSchema = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    role: MemberRoleSchema,
    has_password: z.boolean().describe('False: only a configured provider can sign this person in.'),
    created_at: InstantSchema,
    created_by: z.string(),
    last_sign_in_at: InstantSchema.nullable(),
    provider_accounts: z
      .array(ProviderAccountSchema)
      .describe('Bound at the first sign-in with each provider; no other account of the same provider signs in.'),
  })
  .meta({ id: 'Member' });

export type Member = z.infer<typeof MemberSchema>;

const password = z
  .string()
  .min(SHORTEST_PASSWORD, `must have at least ${SHORTEST_PASSWORD} characters`)
  .max(LONGEST_PASSWORD, `must have at most ${LONGEST_PASSWORD} characters`)
  .refine((text) => !/\p{Cs}/u.test(text), 'must be valid Unicode');

const name = DisplayName.nullish().describe('1 to 100 characters after trimming.');
const id = z.uuid('must be a uuid').toLowerCase().describe("The member's id.");

/** A person to invite. */
export const NewMember = z
  .strictObject({
    email: EmailInput,
    role: MemberRoleSchema,
    name,
    password: password
      .optional()
      .describe('Without one, only a configured provider with this e-mail address signs the person in.'),
  })
  .meta({ id: 'NewMember' });

const patch = {
  role: MemberRoleSchema.optional(),
  name: name.describe('Null takes the name away.'),
  password: password.optional().describe("A new password ends the member's other sessions."),
  provider_accounts: z
    .array(ProviderAccountSchema)
    .max(0, 'can only be emptied')
    .optional()
    .describe(
      "An empty list unbinds the member's provider accounts and ends the member's other sessions. The next account with the member's verified e-mail address is bound.",
    ),
};

/** What of a member can be changed; what is absent stays. */
export const MemberPatch = z.strictObject(patch).meta({ id: 'MemberPatch' });

export type MemberPatch = z.infer<typeof MemberPatch>;

const selector = { id: id.optional(), email: EmailInput.optional() };
const EXACTLY_ONE = 'name the member by either id or email';

function namesOne(value: { id?: string | undefined; email?: string | undefined }): boolean {
  return (value.id === undefined) !== (value.email === undefined);
}

/** A change that names its member in the body. */
export const MemberPatchBySelector = z
  .strictObject({ ...selector, ...patch })
  .refine(namesOne, EXACTLY_ONE)
  .meta({ id: 'MemberPatchBySelector' });

/** The member to remove. */
export const MemberSelector = z.strictObject(selector).refine(namesOne, EXACTLY_ONE).meta({ id: 'MemberSelector' });

export type MemberSelector = z.infer<typeof MemberSelector>;

/** The path of the operations on one member. */
export const MemberPath = z.strictObject({ id });

/** Who asks. */
export const SessionSchema = z
  .object({
    kind: z.enum(['member', 'token', 'bootstrap']),
    id: z.string().describe("The member's or the token's id; `bootstrap` for `SLUICE_ADMIN_TOKEN`."),
    email: z.string().nullable().describe('Null for tokens.'),
    name: z.string().nullable(),
    role: MemberRoleSchema,
  })
  .meta({ id: 'Session' });

/** A member's new password. */
export const PasswordChange = z
  .strictObject({ current_password: z.string().max(LONGEST_PASSWORD), new_password: password })
  .meta({ id: 'PasswordChange' });
