import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { members } from '@/drizzle/schema';
import { presentMember, requireAnotherOwner, toMemberRecord } from '@/lib/admin/members/row';
import { type Reversal, refuseUnless, sameMembers } from '@/lib/admin/undo/reversal';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { MemberIdSchema } from '@/lib/contract/fields/ids';

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
      before.role === row.role ? `The name of ${row.email} is as it was.` : `${row.email} is ${before.role} again.`;
    const edited = database.drizzle.update(members).set({ ...before, revision });
    return { statements: [edited.where(eq(members.id, row.id))], restored };
  },
};
