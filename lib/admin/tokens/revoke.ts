import { and, eq, isNull } from 'drizzle-orm';
import { adminTokens } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { TOKEN_TARGET, toTokenRecord } from '@/lib/admin/tokens/row';
import { AdminTokenPath } from '@/lib/contract/tokens';
import { ApiError } from '@/lib/http/api-error';
import { operation } from '@/lib/operation/operation';

/** Ends a token for good, from the next request on, in every process. */
export const revokeToken = operation({
  id: 'revokeToken',
  method: 'DELETE',
  path: '/v1/admin/tokens/{id}',
  tag: 'Tokens',
  summary: 'Revoke an admin token',
  description: 'It opens nothing from the next request on. Its name becomes free; its record stays.',
  access: 'owner',
  params: AdminTokenPath,
  response: { status: 204, description: 'The token is revoked.' },
  errors: ['not_found', 'conflict'],
  run: (context, { params }) => {
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
  },
});
