import { and, eq, isNull } from 'drizzle-orm';
import { members } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { buildInvitation } from '@/lib/admin/members/new-invitation';
import { readPasswordUse } from '@/lib/admin/members/password-use';
import { buildMember, buildMemberRecord } from '@/lib/admin/members/row';
import { buildRowColumns, createRandomUuid } from '@/lib/admin/new-row';
import { listConfiguredProviders } from '@/lib/auth/next-auth/providers';
import { hashNewPassword } from '@/lib/auth/password';
import { inviteMember as contract } from '@/lib/contract/members';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/**
 * Adds a member. By default, creates an invitation link only if the member cannot sign in otherwise.
 */
export const inviteMember = implement(contract, async (context, { body }) => {
  const { config, database, randomBytes } = context.services;
  const { email, role, name = null, password } = body;
  const hashInvitedPassword = async (password: string) =>
    hashNewPassword('password', password, await readPasswordUse(database, { id: null, email }));
  const passwordHash = password === undefined ? null : await hashInvitedPassword(password);
  const hasProvider = listConfiguredProviders(config).length > 0;
  const makesLink = body.invitation ?? (password === undefined && !hasProvider);
  return change(context, async (revision) => {
    const same = and(eq(members.email, email), isNull(members.removedAt));
    if ((await database.drizzle.$count(members, same)) > 0)
      throw new ApiError('conflict', 'There is a member with this e-mail address.');
    const row = { id: createRandomUuid(randomBytes), email, name, role, passwordHash, removedAt: null };
    const member = { ...row, ...buildRowColumns(context, revision) };
    const invitation = makesLink ? buildInvitation(context, row.id) : null;
    const invitations = new Map(invitation === null ? [] : [[row.id, invitation.expiresAt]]);
    const standing = { accounts: [], invitations, secondFactors: new Set<string>(), hasProvider };
    return {
      audit: {
        action: 'member.invite',
        target: row.id,
        after: { ...buildMemberRecord(member), invitation_expires_at: invitation?.link.expires_at ?? null },
      },
      statements: [
        database.drizzle.insert(members).values(member),
        ...(invitation === null ? [] : [invitation.statement]),
      ],
      result: { ...buildMember(member, null, standing), invitation: invitation?.link ?? null },
    };
  });
});
