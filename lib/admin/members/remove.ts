import { change } from '@/lib/admin/change';
import { buildRemoval } from '@/lib/admin/members/removal';
import { buildMemberRecord, requirePresentMember } from '@/lib/admin/members/row';
import { removeMember as byId, removeNamedMember as bySelector, type MemberSelector } from '@/lib/contract/members';
import type { Context } from '@/lib/operation/context';
import { implement } from '@/lib/operation/operation';

export const removeMember = implement(byId, (context, { params }) => dropMember(context, params));
export const removeNamedMember = implement(bySelector, (context, { body }) => dropMember(context, body));

/** Removes a member. @throws ApiError not_found, conflict (the last owner) */
export function dropMember(context: Context, selector: MemberSelector): Promise<undefined> {
  return change(context, async (revision) => {
    const row = await requirePresentMember(context.services.database, selector);
    return {
      audit: { action: 'member.remove', target: row.id, before: buildMemberRecord(row) },
      statements: await buildRemoval(context, row, revision),
    };
  });
}
