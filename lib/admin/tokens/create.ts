import { and, eq, isNull } from 'drizzle-orm';
import { adminTokens } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { requireValidExpiry } from '@/lib/admin/expiry';
import { buildRowColumns, createOrderedId, createPrefixedSecret } from '@/lib/admin/new-row';
import { buildAdminToken, buildStoredToken } from '@/lib/admin/tokens/row';
import { createToken as contract } from '@/lib/contract/tokens';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Creates an admin token. Only this answer contains it. */
export const createToken = implement(contract, (context, { body }) => {
  const { database, randomBytes } = context.services;
  const { name, role } = body;
  const expiresAt = requireValidExpiry(body.expires_at, context.now);
  return change(context, async (revision) => {
    const current = and(eq(adminTokens.name, name), isNull(adminTokens.revokedAt));
    if ((await database.drizzle.$count(adminTokens, current)) > 0)
      throw new ApiError('conflict', 'Another token has this name.');
    const { secret: token, prefix, secretHash: tokenHash } = createPrefixedSecret('slt_', randomBytes);
    const id = createOrderedId(context.now, revision, randomBytes);
    const row = {
      id,
      name,
      role,
      prefix,
      tokenHash,
      expiresAt,
      revokedAt: null,
      ...buildRowColumns(context, revision),
    };
    return {
      audit: { action: 'token.create', target: id, after: buildStoredToken(row) },
      statements: [database.drizzle.insert(adminTokens).values(row)],
      result: { ...buildAdminToken(row, null), token },
    };
  });
});
