import { eq } from 'drizzle-orm';
import { members, providerAccounts } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { endInvitation } from '@/lib/admin/members/new-invitation';
import { presentMember, requireAnotherOwner, toMemberRecord } from '@/lib/admin/members/row';
import { dropSecondFactor } from '@/lib/auth/second-factor/rows';
import { endSessionsOf } from '@/lib/auth/session';
import { removeMember as byId, removeNamedMember as bySelector, type MemberSelector } from '@/lib/contract/members';
import type { Context } from '@/lib/operation/context';
import { implement } from '@/lib/operation/operation';

export const removeMember = implement(byId, (context, { params }) => dropMember(context, params));
export const removeNamedMember = implement(bySelector, (context, { body }) => dropMember(context, body));

/**
 * Removes a member and ends all of the member's sessions, from the next request on. The e-mail address becomes free.
 * @throws ApiError not_found, conflict (the last owner)
 */
export function dropMember(context: Context, selector: MemberSelector): Promise<undefined> {
  const { database } = context.services;
  return change(context, async (revision) => {
    const row = await presentMember(database, selector);
    await requireAnotherOwner(database, row);
    const removed = { removedAt: context.now, passwordHash: null, revision };
    return {
      audit: { action: 'member.remove', target: row.id, before: toMemberRecord(row) },
      statements: [
        database.drizzle.update(members).set(removed).where(eq(members.id, row.id)),
        database.drizzle.delete(providerAccounts).where(eq(providerAccounts.memberId, row.id)),
        endInvitation(database, row.id),
        ...dropSecondFactor(database, row.id),
        endSessionsOf(database, row.id, null),
      ],
      result: undefined,
    };
  });
}
