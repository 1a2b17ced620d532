import { z } from 'zod';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { idInPath, MemberIdInput } from '@/lib/contract/fields/ids';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { InvitationSchema } from '@/lib/contract/members';
import { created, declareNoContent, input, json, object, ok, resource } from '@/lib/contract/resource';

/** Page that an invitation link opens. The token is in the fragment, which no browser sends to a server. */
export const INVITATION_PAGE = '/invitation';

const tag = 'Members';

export const createInvitation = resource('/v1/admin/members/{id}/invitation', {
  tag,
  ...idInPath(MemberIdInput),
}).post('createInvitation', 'owner', {
  command: 'members create-invitation',
  reason: 'query',
  summary: 'Create an invitation',
  description:
    "A one-time link by which the member sets a password: for a new member, and for one who has forgotten it. It works for 72 hours, replaces the member's earlier link, and ends when it is used, when the password is set in another way, or when the member is removed. Its use ends the member's sessions. Sluice sends no e-mail.",
  response: created('The link, which is never shown again: its token is stored hashed.', InvitationSchema),
  idempotent: true,
});

export const endMemberSessions = resource('/v1/admin/members/{id}/sessions', {
  tag,
  ...idInPath(MemberIdInput),
}).delete('endMemberSessions', 'owner', {
  command: 'members end-sessions',
  reason: 'query',
  summary: 'End the sessions of a member',
  description: 'Signs the member out everywhere, but for the session that asks.',
  response: declareNoContent('The sessions have ended.'),
});

/** Token of an invitation: `sli_` and 43 characters of base64url, which encode 256 random bits. */
const InvitationToken = z.string().regex(/^sli_[\w-]{43}$/, 'must be the token of an invitation');

const OpenInvitationSchema = object('OpenInvitation', {
  email: z.string(),
  name: z.string().nullable(),
  role: MemberRoleSchema,
  resets: z.boolean().describe('Whether the member has a password, which the new one replaces.'),
  second_factor: z.boolean().describe('Whether a code of the second factor is needed.'),
  expires_at: TimestampSchema,
});
export type OpenInvitation = z.infer<typeof OpenInvitationSchema>;

export const readInvitation = resource('/v1/invitation', { tag }).post('readInvitation', 'public', {
  command: 'members read-invitation',
  summary: 'Read an invitation',
  description:
    "What the invitation page shows. The token comes in the body, so that no log or address holds it. A link that was used, replaced or has expired is `not_found`. The password is set by the page's own sign-in form.",
  body: json(input('InvitationQuestion', { token: InvitationToken })),
  example: { body: { token: `sli_${'A'.repeat(43)}` } },
  response: ok('The invitation.', OpenInvitationSchema),
  errors: ['not_found'],
});
