import { and, isNull, sql } from 'drizzle-orm';
import { members } from '@/drizzle/schema';
import { buildMember, readStanding } from '@/lib/admin/members/row';
import {
  buildLastUseSorting,
  buildSortings,
  createStoredList,
  matchText,
  matchValues,
  selectLastUse,
} from '@/lib/admin/stored-list';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { listMembers as contract } from '@/lib/contract/members';
import { buildNaturalKey } from '@/lib/natural-order';
import { implement } from '@/lib/operation/operation';

/** Lists all members. */
export const listMembers = implement(
  contract,
  createStoredList({
    query: (drizzle) =>
      drizzle.select({ member: members, lastSignInAt: selectLastUse('member', members.id) }).from(members),
    present: async (rows, context) => {
      const ids = rows.map(({ member }) => member.id);
      const standing = await readStanding(context, ids);
      return rows.map(({ member, lastSignInAt }) => buildMember(member, lastSignInAt, standing));
    },
    sortings: {
      ...buildSortings(members, 'email', 'role', 'created_at'),
      name: { of: (member) => buildNaturalKey(member.name ?? '') },
      ...buildLastUseSorting('last_sign_in_at', 'member', members.id),
    },
    id: { sql: sql`${members.id}`, of: (member) => member.id },
    order: 'email',
    defaultLimit: MAX_PAGE,
    where: ({ role, q }) =>
      and(isNull(members.removedAt), matchValues(members.role, role), matchText(q, members.email, members.name)),
  }),
);
