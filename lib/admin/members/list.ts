import { and, isNull, sql } from 'drizzle-orm';
import { lastUses, members } from '@/drizzle/schema';
import { boundAccounts, toMember } from '@/lib/admin/members/row';
import { contains, lastUseOf, oneOf } from '@/lib/admin/stored-list';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { listMembers as contract } from '@/lib/contract/members';
import { list, timeOf } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';

/** The people who may sign in. */
export const listMembers = implement(
  contract,
  list({
    read: async ({ services: { database } }, { where, orderBy, limit }) => {
      const rows = database.drizzle
        .select({ member: members, lastSignInAt: lastUses.at })
        .from(members)
        .leftJoin(lastUses, lastUseOf('member', members.id))
        .where(where);
      const found = await rows.orderBy(...orderBy).limit(limit);
      const accounts = await boundAccounts(
        database,
        found.map(({ member }) => member.id),
      );
      return found.map(({ member, lastSignInAt }) => toMember(member, lastSignInAt, accounts));
    },
    sortings: {
      email: { sql: sql`${members.email}`, of: (member) => member.email },
      name: { sql: sql`coalesce(${members.name}, '')`, of: (member) => member.name ?? '' },
      role: { sql: sql`${members.role}`, of: (member) => member.role },
      created_at: { sql: sql`${members.createdAt}`, of: (member) => timeOf(member.created_at) },
      last_sign_in_at: { sql: sql`coalesce(${lastUses.at}, 0)`, of: (member) => timeOf(member.last_sign_in_at) },
    },
    id: { sql: sql`${members.id}`, of: (member) => member.id },
    order: 'email',
    defaultLimit: MAX_PAGE,
    where: ({ role, q }) =>
      and(isNull(members.removedAt), oneOf(members.role, role), contains(q, members.email, members.name)),
  }),
);
