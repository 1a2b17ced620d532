import { z } from 'zod';
import { DisplayName } from '@/lib/contract/fields/display-name';
import { EmailInput } from '@/lib/contract/fields/email';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { MemberIdSchema } from '@/lib/contract/fields/ids';
import { InstantSchema } from '@/lib/contract/fields/instant';
import {
  MAX_PAGE,
  oneOrMore,
  pageParameters,
  pageResponse,
  searchParameter,
  sortParameter,
} from '@/lib/contract/fields/list';
import type { Contract } from '@/lib/contract/operation';
import type { MemberId } from '@/lib/ids';

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
    id: MemberIdSchema,
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

/** A password in a request. */
export const PasswordInput = z
  .string()
  .min(SHORTEST_PASSWORD, `must have at least ${SHORTEST_PASSWORD} characters`)
  .max(LONGEST_PASSWORD, `must have at most ${LONGEST_PASSWORD} characters`)
  .refine((text) => !/\p{Cs}/u.test(text), 'must be valid Unicode');

const name = DisplayName.nullish().describe('1 to 100 characters after trimming.');
const id: z.ZodType<MemberId, string> = z.uuid('must be a uuid').toLowerCase().describe("The member's id.");

/** A person to invite. */
export const NewMember = z
  .strictObject({
    email: EmailInput,
    role: MemberRoleSchema,
    name,
    password: PasswordInput.optional().describe(
      'Without one, only a configured provider with this e-mail address signs the person in.',
    ),
  })
  .meta({ id: 'NewMember' });

const patch = {
  role: MemberRoleSchema.optional(),
  name: name.describe('Null takes the name away.'),
  password: PasswordInput.optional().describe("A new password ends the member's other sessions."),
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

export const inviteMember = {
  id: 'inviteMember',
  method: 'POST',
  path: '/v1/admin/members',
  tag: 'Members',
  summary: 'Invite a member',
  description:
    'With a password the person signs in with it. Without one only a configured provider that has verified this e-mail address signs the person in.',
  access: 'owner',
  body: { schema: NewMember, required: true },
  response: { status: 201, description: 'The member.', schema: MemberSchema },
  errors: ['conflict'],
  idempotent: true,
  example: { body: { email: 'ada@example.com', role: 'viewer' } },
} as const satisfies Contract;

export const listMembers = {
  id: 'listMembers',
  method: 'GET',
  path: '/v1/admin/members',
  tag: 'Members',
  summary: 'List members',
  description: `In the order of their e-mail addresses, at most ${MAX_PAGE} in one answer.`,
  access: 'viewer',
  query: z.strictObject({
    ...pageParameters,
    role: oneOrMore(MemberRoleSchema.options),
    q: searchParameter('Part of the e-mail address or the name, in any letter case (of ASCII).'),
    sort: sortParameter(['email', 'name', 'role', 'created_at', 'last_sign_in_at'], 'email'),
  }),
  response: pageResponse('The members.', MemberSchema),
} as const satisfies Contract;

const update = {
  method: 'PATCH',
  tag: 'Members',
  summary: 'Change a member',
  access: 'owner',
  response: { status: 200, description: 'The member as it is now.', schema: MemberSchema },
  errors: ['not_found', 'conflict'],
} as const;
const UPDATE =
  "What is absent stays. A role counts from the member's next request on; a new password, or unbinding provider accounts, ends the member's other sessions. The last owner keeps the role.";

export const updateMember = {
  ...update,
  id: 'updateMember',
  path: '/v1/admin/members/{id}',
  description: UPDATE,
  params: MemberPath,
  body: { schema: MemberPatch, required: true },
  example: { params: { id: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' }, body: { role: 'operator' } },
} as const satisfies Contract;

export const updateNamedMember = {
  ...update,
  id: 'updateNamedMember',
  path: '/v1/admin/members',
  description: `The body names the member by \`id\` or \`email\`. ${UPDATE}`,
  body: { schema: MemberPatchBySelector, required: true },
  example: { body: { email: 'ada@example.com', role: 'operator' } },
} as const satisfies Contract;

const removal = {
  method: 'DELETE',
  tag: 'Members',
  summary: 'Remove a member',
  access: 'owner',
  response: { status: 204, description: 'The member is removed.' },
  errors: ['not_found', 'conflict'],
} as const;
const REMOVAL = "The member's sessions end at once. The last owner cannot be removed.";

export const removeMember = {
  ...removal,
  id: 'removeMember',
  path: '/v1/admin/members/{id}',
  description: REMOVAL,
  params: MemberPath,
  example: { params: { id: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' } },
} as const satisfies Contract;

export const removeNamedMember = {
  ...removal,
  id: 'removeNamedMember',
  path: '/v1/admin/members',
  description: `The body names the member by \`id\` or \`email\`. ${REMOVAL}`,
  body: { schema: MemberSelector, required: true },
  example: { body: { email: 'ada@example.com' } },
} as const satisfies Contract;
