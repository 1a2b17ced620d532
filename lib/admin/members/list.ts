import { and, isNull, sql } from 'drizzle-orm';
import { members } from '@/drizzle/schema';
import { readStanding, toMember } from '@/lib/admin/members/row';
import { contains, lastUsed, lastUseSorting, matchValues, sortingsBy, storedList } from '@/lib/admin/stored-list';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { listMembers as contract } from '@/lib/contract/members';
import { toNaturalKey } from '@/lib/natural-order';
import { implement } from '@/lib/operation/operation';

/** Lists all members. */
export const listMembers = implement(
  contract,
  storedList({
    query: (drizzle) => drizzle.select({ member: members, lastSignInAt: lastUsed('member', members.id) }).from(members),
    present: async (rows, context) => {
      const ids = rows.map(({ member }) => member.id);
      const standing = await readStanding(context, ids);
      return rows.map(({ member, lastSignInAt }) => toMember(member, lastSignInAt, standing));
    },
    sortings: {
      ...sortingsBy(members, 'email', 'role', 'created_at'),
      name: { of: (member) => toNaturalKey(member.name ?? '') },
      ...lastUseSorting('last_sign_in_at', 'member', members.id),
    },
    id: { sql: sql`${members.id}`, of: (member) => member.id },
    order: 'email',
    defaultLimit: MAX_PAGE,
    where: ({ role, q }) =>
      and(isNull(members.removedAt), matchValues(members.role, role), contains(q, members.email, members.name)),
  }),
);
