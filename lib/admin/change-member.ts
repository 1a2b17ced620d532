import { eq } from 'drizzle-orm';
import { lastUses, members } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import {
  MEMBER_TARGET,
  type MemberRow,
  presentMember,
  requireAnotherOwner,
  toMember,
  toMemberRecord,
} from '@/lib/admin/member-row';
import { hashPassword } from '@/lib/auth/password';
import { readSession } from '@/lib/auth/session';
import { endSessionsOf } from '@/lib/auth/session-store';
import type { Context } from '@/lib/http/operation';
import type { Member, MemberPatch, MemberSelector } from '@/lib/schemas/members';

/**
 * Changes a member's role, name or password. A new role counts from the member's next request on; a new password ends
 * all of the member's sessions but the one that asks.
 *
 * @throws ApiError not_found, conflict (the last owner)
 */
export async function changeMember(context: Context, selector: MemberSelector, patch: MemberPatch): Promise<Member> {
  const { database } = context.services;
  const passwordHash = patch.password === undefined ? undefined : await hashPassword(patch.password);
  const asking =
    passwordHash === undefined ? null : await readSession(context.request.headers.get('cookie'), context.services);
  return change(context, async (revision) => {
    const row = await presentMember(database, selector);
    const changed: MemberRow = {
      ...row,
      role: patch.role ?? row.role,
      name: patch.name === undefined ? row.name : patch.name,
      passwordHash: passwordHash ?? row.passwordHash,
      revision,
    };
    if (changed.role !== 'owner') await requireAnotherOwner(database, row);
    const { role, name } = changed;
    const [use] = await database.drizzle
      .select({ at: lastUses.at })
      .from(lastUses)
      .where(eq(lastUses.subject, `member:${row.id}`));
    return {
      audit: {
        action: patch.password === undefined ? 'member.update' : 'member.password',
        targetType: MEMBER_TARGET,
        target: row.id,
        before: toMemberRecord(row),
        after: toMemberRecord(changed),
      },
      statements: [
        database.drizzle
          .update(members)
          .set({ role, name, passwordHash: changed.passwordHash, revision })
          .where(eq(members.id, row.id)),
        ...(passwordHash === undefined
          ? []
          : [endSessionsOf(database, row.id, asking?.id === row.id ? asking.sessionId : null)]),
      ],
      result: toMember(changed, use?.at ?? null),
    };
  });
}
