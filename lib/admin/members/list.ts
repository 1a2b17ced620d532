import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { z } from 'zod';
import { lastUses, members } from '@/drizzle/schema';
import { boundAccounts, toMember } from '@/lib/admin/members/row';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { listMembers as contract } from '@/lib/contract/members';
import { decodeCursor, pageOf } from '@/lib/http/pagination';
import { implement, Reply } from '@/lib/operation/operation';

/** The people who may come in, by e-mail address. */
export const listMembers = implement(contract, async (context, { query }) => {
  const { drizzle } = context.services.database;
  const limit = query.limit ?? MAX_PAGE;
  const after = query.cursor === undefined ? undefined : decodeCursor(z.string(), query.cursor);
  const rows = await drizzle
    .select({ member: members, lastSignInAt: lastUses.at })
    .from(members)
    .leftJoin(lastUses, eq(lastUses.subject, sql`'member:' || ${members.id}`))
    .where(and(isNull(members.removedAt), after === undefined ? undefined : sql`${members.email} > ${after}`))
    .orderBy(asc(members.email))
    .limit(limit + 1);
  const { items, headers } = pageOf(rows, limit, context.request.url, ({ member }) => member.email);
  const accounts = await boundAccounts(
    context.services.database,
    items.map(({ member }) => member.id),
  );
  return new Reply(
    items.map(({ member, lastSignInAt }) => toMember(member, lastSignInAt, accounts)),
    { headers },
  );
});
