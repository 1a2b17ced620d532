import { eq } from 'drizzle-orm';
import { sessions } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { requirePresentMember } from '@/lib/admin/members/row';
import { deleteSessions } from '@/lib/auth/session';
import { endMemberSessions as contract } from '@/lib/contract/invitations';
import { endOtherSessions as contractOfOwn } from '@/lib/contract/session';
import type { MemberId } from '@/lib/ids';
import type { Context } from '@/lib/operation/context';
import { implement } from '@/lib/operation/operation';

export const endMemberSessions = implement(contract, (context, { params }) => endSessions(context, params.id));

export const endOtherSessions = implement(contractOfOwn, async (context) => {
  const session = await context.facts.session();
  // A token has no session.
  if (session === null || !context.actor.id.startsWith('member:')) return undefined;
  return endSessions(context, session.id);
});

/** Ends all sessions of a member except the current one. @throws ApiError not_found */
async function endSessions(context: Context, memberId: MemberId): Promise<undefined> {
  const { database } = context.services;
  const asking = await context.facts.session();
  return change(context, async () => {
    const { id, email } = await requirePresentMember(database, { id: memberId });
    const before = await database.drizzle.$count(sessions, eq(sessions.memberId, id));
    const currentSession = asking?.id === id ? asking.sessionId : null;
    return {
      audit: {
        action: 'member.end_sessions',
        target: id,
        before: { email, sessions: before },
        after: { email, sessions: currentSession === null ? 0 : 1 },
      },
      statements: [deleteSessions(database, id, currentSession)],
    };
  });
}
