import { and, isNull, sql } from 'drizzle-orm';
import { adminTokens } from '@/drizzle/schema';
import {
  buildLastUseSorting,
  buildSortings,
  createStoredList,
  matchText,
  matchValues,
  selectLastUse,
} from '@/lib/admin/stored-list';
import { buildAdminToken } from '@/lib/admin/tokens/row';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { listTokens as contract } from '@/lib/contract/tokens';
import { buildNaturalKey } from '@/lib/natural-order';
import { implement } from '@/lib/operation/operation';

/** Lists admin tokens that are not revoked. */
export const listTokens = implement(
  contract,
  createStoredList({
    order: '-created_at',
    defaultLimit: MAX_PAGE,
    query: (drizzle) =>
      drizzle.select({ token: adminTokens, lastUsedAt: selectLastUse('token', adminTokens.id) }).from(adminTokens),
    present: (rows) => rows.map(({ token, lastUsedAt }) => buildAdminToken(token, lastUsedAt)),
    sortings: {
      ...buildSortings(adminTokens, 'created_at', 'prefix', 'role', 'expires_at', 'created_by'),
      name: { of: (token) => buildNaturalKey(token.name) },
      ...buildLastUseSorting('last_used_at', 'token', adminTokens.id),
    },
    id: { sql: sql`${adminTokens.id}`, of: (token) => token.id },
    where: ({ role, q }) =>
      and(
        isNull(adminTokens.revokedAt),
        matchValues(adminTokens.role, role),
        matchText(q, adminTokens.name, adminTokens.prefix, adminTokens.createdBy),
      ),
  }),
);
