import { and, eq, isNull, or } from 'drizzle-orm';
import { z } from 'zod';
import { members, providerAccounts } from '@/drizzle/schema';
import { sameMembers } from '@/lib/admin/change-kind/record';
import { type Reversal, refuse, refuseUnless } from '@/lib/admin/change-kind/reversal';
import { type DeletedWithMember, keptOf, REMOVAL_KEPT_FOR, removal, restoration } from '@/lib/admin/members/removal';
import { presentMember, requireAnotherOwner, toMemberRecord } from '@/lib/admin/members/row';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { MemberIdSchema } from '@/lib/contract/fields/ids';
import { REMOVAL_KEPT_MINUTES } from '@/lib/contract/members';
import type { Database } from '@/lib/db/database';

const Edited = z.object({ role: MemberRoleSchema, name: z.string().nullable() });

/** Takes back a change of a member's role or name. */
export const MEMBER_REVERSAL: Reversal = {
  role: 'owner',
  async plan({ services: { database } }, record, revision) {
    const row = await presentMember(database, { id: MemberIdSchema.parse(record.target) });
    refuseUnless(sameMembers(toMemberRecord(row), record.after, Edited.keyof().options));
    const before = Edited.parse(record.before);
    if (before.role !== 'owner') await requireAnotherOwner(database, row);
    const restored =
      before.role === row.role ? `The name of ${row.email} was restored.` : `${row.email} is ${before.role} again.`;
    const edited = database.drizzle.update(members).set({ ...before, revision });
    return { statements: [edited.where(eq(members.id, row.id))], restored };
  },
};

const NOT_KEPT = `A removed member can be brought back for ${REMOVAL_KEPT_MINUTES} minutes. Invite them again.`;

/**
 * Takes back the removal of a member, or the coming of one: an invitation, or the undo of a removal. The member comes
 * back with role, password, second factor, sign-in accounts and open invitation; sessions stay ended.
 */
export const PRESENCE_REVERSAL: Reversal = {
  role: 'owner',
  obstacle: ({ at, before }, now) => (before === null || now < at + REMOVAL_KEPT_FOR ? null : NOT_KEPT),
  async plan(context, { target, before, after }, revision) {
    const { database } = context.services;
    const id = MemberIdSchema.parse(target);
    if (before === null) {
      const present = await presentMember(database, { id });
      refuseUnless(sameMembers(toMemberRecord(present), after, ['email', 'role', 'name', 'has_password']));
      const restored = `${present.email} is no longer a member.`;
      return { statements: await removal(context, present, revision), restored };
    }
    const [row] = await database.drizzle.select().from(members).where(eq(members.id, id));
    if (row === undefined) return refuse(NOT_KEPT);
    // What an undo has brought back was kept again when they were removed again.
    const kept = await keptOf(database, row.revision);
    if (kept === null) return refuse(NOT_KEPT);
    refuseUnless(row.removedAt !== null);
    const same = and(eq(members.email, row.email), isNull(members.removedAt));
    if ((await database.drizzle.$count(members, same)) > 0) refuse('Another member has the e-mail address now.');
    if (await isBoundElsewhere(database, kept)) refuse('Another member signs in with one of their accounts now.');
    return {
      statements: restoration(context, id, kept, row.revision, revision),
      restored: `${row.email} is a member again, as ${row.role}. They have to sign in again.`,
    };
  },
};

async function isBoundElsewhere({ drizzle }: Database, { accounts }: DeletedWithMember): Promise<boolean> {
  if (accounts.length === 0) return false;
  const any = accounts.map(({ issuer, subject }) =>
    and(eq(providerAccounts.issuer, issuer), eq(providerAccounts.subject, subject)),
  );
  return (await drizzle.$count(providerAccounts, or(...any))) > 0;
}
