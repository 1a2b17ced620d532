import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { z } from 'zod';
import { adminTokens, lastUses } from '@/drizzle/schema';
import { toAdminToken } from '@/lib/admin/tokens/row';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { listTokens as contract } from '@/lib/contract/tokens';
import { decodeCursor, pageOf } from '@/lib/http/pagination';
import { implement, Reply } from '@/lib/operation/operation';

const Position = z.tuple([z.int(), z.string()]);

/** The admin tokens that were not revoked, newest first. */
export const listTokens = implement(contract, async (context, { query }) => {
  const { drizzle } = context.services.database;
  const limit = query.limit ?? MAX_PAGE;
  const after = query.cursor === undefined ? undefined : decodeCursor(Position, query.cursor);
  const rows = await drizzle
    .select({ token: adminTokens, lastUsedAt: lastUses.at })
    .from(adminTokens)
    .leftJoin(lastUses, eq(lastUses.subject, sql`'token:' || ${adminTokens.id}`))
    .where(
      and(
        isNull(adminTokens.revokedAt),
        after && sql`(${adminTokens.createdAt}, ${adminTokens.id}) < (${after[0]}, ${after[1]})`,
      ),
    )
    .orderBy(desc(adminTokens.createdAt), desc(adminTokens.id))
    .limit(limit + 1);
  const { items, headers } = pageOf(rows, limit, context.request.url, ({ token }) => [token.createdAt, token.id]);
  return new Reply(
    items.map(({ token, lastUsedAt }) => toAdminToken(token, lastUsedAt)),
    { headers },
  );
});
