import { z } from 'zod';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { idInPath, MemberIdInput, MemberIdSchema } from '@/lib/contract/fields/ids';
import { declarePage, MAX_PAGE, oneOrMore, pageParameters, searchIn, sortParameter } from '@/lib/contract/fields/list';
import { PasswordInput } from '@/lib/contract/fields/password';
import { DisplayName, EmailInput } from '@/lib/contract/fields/text';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { created, declareNoContent, input, json, object, ok, resource } from '@/lib/contract/resource';

const ProviderAccountSchema = object('ProviderAccount', {
  issuer: z.string().describe('The `iss` claim; `https://github.com` for GitHub.'),
  subject: z.string().describe('The `sub` claim; the numeric id at GitHub.'),
  bound_at: TimestampSchema.describe('The first sign-in with it.'),
});

const MemberSchema = object('Member', {
  id: MemberIdSchema,
  email: z.string(),
  name: z.string().nullable(),
  role: MemberRoleSchema,
  state: z
    .enum(['invited', 'active', 'cannot_sign_in'])
    .describe(
      '`active`: has a password, or a bound account of a configured provider. `invited`: has an open invitation, or a provider is configured that can bind an account with this e-mail address. `cannot_sign_in`: has none of these; create an invitation.',
    ),
  has_password: z.boolean(),
  second_factor: z.boolean().describe('Whether sign-in also needs a code.'),
  invitation_expires_at: TimestampSchema.nullable().describe('Until when the open invitation works; null without one.'),
  created_at: TimestampSchema,
  created_by: z.string(),
  last_sign_in_at: TimestampSchema.nullable(),
  provider_accounts: z
    .array(ProviderAccountSchema)
    .describe('Bound at the first sign-in with each provider; no other account of that provider can sign in.'),
});
export type Member = z.infer<typeof MemberSchema>;

export const InvitationSchema = object('Invitation', {
  url: z.string().describe('To be given to the person. Sluice sends no e-mail. Works once.'),
  expires_at: TimestampSchema,
});

const name = DisplayName.nullish().describe('1 to 100 characters after trimming.');
/** Fields of a member that can be changed. Absent fields stay unchanged. */
const MemberPatch = input('MemberPatch', {
  role: MemberRoleSchema.optional(),
  name: name.describe('Null removes the name.'),
  password: PasswordInput.optional().describe(
    "A new password ends the member's other sessions and the open invitation. At least 15 characters, or 12 with a second factor; no common password.",
  ),
  provider_accounts: z
    .array(ProviderAccountSchema)
    .max(0, 'can only be emptied')
    .optional()
    .describe(
      "An empty list unbinds the member's provider accounts and ends the member's other sessions. The next account with the member's verified e-mail address is bound.",
    ),
});
export type MemberPatch = z.infer<typeof MemberPatch>;

const selector = { id: MemberIdInput.optional(), email: EmailInput.optional() };
const selectsOne = [
  (value: { id?: string | undefined; email?: string | undefined }) =>
    (value.id === undefined) !== (value.email === undefined),
  'name the member by either id or email',
] as const;

const MemberSelector = z
  .strictObject(selector)
  .refine(...selectsOne)
  .meta({ id: 'MemberSelector' });
export type MemberSelector = z.infer<typeof MemberSelector>;

/** Time in which the removal of a member can be undone. */
export const REMOVAL_KEPT_MINUTES = 15;

const members = resource('/v1/admin/members', { tag: 'Members' });

export const inviteMember = members.post('inviteMember', 'owner', {
  command: 'members invite',
  reason: 'query',
  summary: 'Invite a member',
  description:
    'Without a password the answer contains an invitation: a one-time link by which the person sets a password. If a provider is configured, none is made unless `invitation` is true, because the person can sign in with an account that has this e-mail address, verified.',
  body: json(
    input('NewMember', {
      email: EmailInput,
      role: MemberRoleSchema,
      name,
      password: PasswordInput.optional().describe(
        'Better left out: the person sets it by the invitation. At least 15 characters, or 12 where a second factor is required; no common password.',
      ),
      invitation: z
        .boolean()
        .optional()
        .describe('Whether to make an invitation. By default only where nothing else could sign the person in.'),
    }),
  ),
  example: { body: { email: 'ada@example.com', role: 'viewer' } },
  response: created(
    'The member.',
    MemberSchema.extend({
      invitation: InvitationSchema.nullable().describe('Shown only once: its token is stored hashed.'),
    }).meta({ id: 'InvitedMember' }),
  ),
  idempotent: true,
});

export const listMembers = members.get('listMembers', 'viewer', {
  command: 'members list',
  summary: 'List members',
  description: `By e-mail address unless \`sort\` is given, at most ${MAX_PAGE} per page.`,
  query: z.strictObject({
    ...pageParameters,
    role: oneOrMore(MemberRoleSchema.options),
    q: searchIn('Part of the e-mail address or the name; ASCII letter case is ignored.'),
    sort: sortParameter(['email', 'name', 'role', 'created_at', 'last_sign_in_at'], 'email'),
  }),
  response: declarePage('The members.', MemberSchema),
});

const member = resource('/v1/admin/members/{id}', { tag: 'Members', ...idInPath(MemberIdInput) });
const BY_SELECTOR = 'The body names the member by `id` or `email`.';

const update = {
  reason: 'query',
  summary: 'Change a member',
  description:
    "Absent members stay unchanged. A role applies from the member's next request on; a new password, or unbinding provider accounts, ends the member's other sessions. The last owner keeps the role.",
  response: ok('The changed member.', MemberSchema),
} as const;

export const updateMember = member.patch('updateMember', 'owner', {
  command: 'members update',
  ...update,
  body: json(MemberPatch),
  example: { body: { role: 'operator' } },
});

export const updateNamedMember = members.patch('updateNamedMember', 'owner', {
  command: 'members update-named',
  ...update,
  description: `${BY_SELECTOR} ${update.description}`,
  body: json(
    z
      .strictObject({ ...selector, ...MemberPatch.shape })
      .refine(...selectsOne)
      .meta({ id: 'MemberPatchBySelector' }),
  ),
  example: { body: { email: 'ada@example.com', role: 'operator' } },
  errors: ['not_found'],
});

const removal = {
  reason: 'query',
  summary: 'Remove a member',
  description: "The member's sessions end at once. The last owner cannot be removed.",
  response: declareNoContent('The member is removed.'),
} as const;

export const removeMember = member.delete('removeMember', 'owner', {
  ...removal,
  command: 'members remove',
});

export const removeNamedMember = members.delete('removeNamedMember', 'owner', {
  command: 'members remove-named',
  ...removal,
  description: `${BY_SELECTOR} ${removal.description}`,
  body: json(MemberSelector),
  example: { body: { email: 'ada@example.com' } },
  errors: ['not_found'],
});
