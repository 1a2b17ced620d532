import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { z } from 'zod';
import { adminTokens, lastUses } from '@/drizzle/schema';
import { toAdminToken } from '@/lib/admin/tokens/row';
import { AdminTokenSchema } from '@/lib/contract/tokens';
import { decodeCursor, MAX_PAGE, pageOf, pageParameters } from '@/lib/http/pagination';
import { operation, Reply } from '@/lib/operation/operation';

const Query = z.strictObject(pageParameters);
const Position = z.tuple([z.int(), z.string()]);

/** The admin tokens that were not revoked, newest first. */
export const listTokens = operation({
  id: 'listTokens',
  method: 'GET',
  path: '/v1/admin/tokens',
  tag: 'Tokens',
  summary: 'List admin tokens',
  description: `Newest first, expired ones included, revoked ones not. At most ${MAX_PAGE} in one answer.`,
  access: 'viewer',
  query: Query,
  response: {
    status: 200,
    description: 'The tokens, without their secrets.',
    schema: z.array(AdminTokenSchema),
    headers: { Link: 'The next page, `rel="next"`, when there is one.' },
  },
  run: async (context, { query }) => {
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
  },
});
