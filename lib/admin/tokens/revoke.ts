import { and, eq, isNull } from 'drizzle-orm';
import { adminTokens } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { buildStoredToken } from '@/lib/admin/tokens/row';
import { revokeToken as contract } from '@/lib/contract/tokens';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Revokes a token permanently, from the next request on, in every process. */
export const revokeToken = implement(contract, (context, { params }) => {
  const { drizzle } = context.services.database;
  return change(context, async (revision) => {
    const current = and(eq(adminTokens.id, params.id), isNull(adminTokens.revokedAt));
    const [row] = await drizzle.select().from(adminTokens).where(current);
    if (row === undefined) throw new ApiError('not_found', 'There is no such token.');
    const revoked = { revokedAt: context.now, revision };
    return {
      audit: { action: 'token.revoke', target: row.id, before: buildStoredToken(row) },
      statements: [drizzle.update(adminTokens).set(revoked).where(eq(adminTokens.id, row.id))],
    };
  });
});
