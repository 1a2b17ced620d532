import { and, isNull, sql } from 'drizzle-orm';
import { adminTokens } from '@/drizzle/schema';
import { contains, lastUsed, lastUseSorting, matchValues, sortingsBy, storedList } from '@/lib/admin/stored-list';
import { toAdminToken } from '@/lib/admin/tokens/row';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { listTokens as contract } from '@/lib/contract/tokens';
import { toNaturalKey } from '@/lib/natural-order';
import { implement } from '@/lib/operation/operation';

/** Lists admin tokens that are not revoked. */
export const listTokens = implement(
  contract,
  storedList({
    order: '-created_at',
    defaultLimit: MAX_PAGE,
    query: (drizzle) =>
      drizzle.select({ token: adminTokens, lastUsedAt: lastUsed('token', adminTokens.id) }).from(adminTokens),
    present: (rows) => rows.map(({ token, lastUsedAt }) => toAdminToken(token, lastUsedAt)),
    sortings: {
      ...sortingsBy(adminTokens, 'created_at', 'prefix', 'role', 'expires_at', 'created_by'),
      name: { of: (token) => toNaturalKey(token.name) },
      ...lastUseSorting('last_used_at', 'token', adminTokens.id),
    },
    id: { sql: sql`${adminTokens.id}`, of: (token) => token.id },
    where: ({ role, q }) =>
      and(
        isNull(adminTokens.revokedAt),
        matchValues(adminTokens.role, role),
        contains(q, adminTokens.name, adminTokens.prefix, adminTokens.createdBy),
      ),
  }),
);
