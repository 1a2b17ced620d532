import { and, isNull, sql } from 'drizzle-orm';
import { adminTokens, lastUses } from '@/drizzle/schema';
import { contains, lastUseOf, oneOf } from '@/lib/admin/stored-list';
import { toAdminToken } from '@/lib/admin/tokens/row';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { listTokens as contract } from '@/lib/contract/tokens';
import { list, NEVER, timeOf } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';

/** The admin tokens that were not revoked. */
export const listTokens = implement(
  contract,
  list({
    read: async ({ services }, { where, orderBy, limit }) => {
      const rows = services.database.drizzle
        .select({ token: adminTokens, lastUsedAt: lastUses.at })
        .from(adminTokens)
        .leftJoin(lastUses, lastUseOf('token', adminTokens.id))
        .where(where);
      const found = await rows.orderBy(...orderBy).limit(limit);
      return found.map(({ token, lastUsedAt }) => toAdminToken(token, lastUsedAt));
    },
    sortings: {
      created_at: { sql: sql`${adminTokens.createdAt}`, of: (token) => timeOf(token.created_at) },
      name: { sql: sql`${adminTokens.name}`, of: (token) => token.name },
      prefix: { sql: sql`${adminTokens.prefix}`, of: (token) => token.prefix },
      role: { sql: sql`${adminTokens.role}`, of: (token) => token.role },
      expires_at: {
        sql: sql`coalesce(${adminTokens.expiresAt}, ${NEVER})`,
        of: (token) => timeOf(token.expires_at, NEVER),
      },
      last_used_at: { sql: sql`coalesce(${lastUses.at}, 0)`, of: (token) => timeOf(token.last_used_at) },
      created_by: { sql: sql`${adminTokens.createdBy}`, of: (token) => token.created_by },
    },
    id: { sql: sql`${adminTokens.id}`, of: (token) => token.id },
    order: '-created_at',
    defaultLimit: MAX_PAGE,
    where: ({ role, q }) =>
      and(
        isNull(adminTokens.revokedAt),
        oneOf(adminTokens.role, role),
        contains(q, adminTokens.name, adminTokens.prefix, adminTokens.createdBy),
      ),
  }),
);
