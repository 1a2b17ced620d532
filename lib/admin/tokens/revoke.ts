import { and, eq, isNull } from 'drizzle-orm';
import { adminTokens } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { TOKEN_TARGET, toTokenRecord } from '@/lib/admin/tokens/row';
import { revokeToken as contract } from '@/lib/contract/tokens';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Ends a token for good, from the next request on, in every process. */
export const revokeToken = implement(contract, (context, { params }) => {
  const { database } = context.services;
  return change(context, async (revision) => {
    const [row] = await database.drizzle
      .select()
      .from(adminTokens)
      .where(and(eq(adminTokens.id, params.id), isNull(adminTokens.revokedAt)));
    if (row === undefined) throw new ApiError('not_found', 'There is no such token.');
    return {
      audit: { action: 'token.revoke', targetType: TOKEN_TARGET, target: row.id, before: toTokenRecord(row) },
      statements: [
        database.drizzle
          .update(adminTokens)
          .set({ revokedAt: context.now, revision })
          .where(eq(adminTokens.id, row.id)),
      ],
      result: undefined,
    };
  });
});
