import { and, eq, isNull } from 'drizzle-orm';
import { adminTokens } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { checkedExpiry } from '@/lib/admin/expiry';
import { newRow, newSecret, orderedId } from '@/lib/admin/new-row';
import { toAdminToken, toTokenRecord } from '@/lib/admin/tokens/row';
import { createToken as contract } from '@/lib/contract/tokens';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Creates an admin token. Only this answer contains it. */
export const createToken = implement(contract, (context, { body }) => {
  const { database, randomBytes } = context.services;
  const { name, role } = body;
  const expiresAt = checkedExpiry(body.expires_at, context.now);
  return change(context, async (revision) => {
    const current = and(eq(adminTokens.name, name), isNull(adminTokens.revokedAt));
    if ((await database.drizzle.$count(adminTokens, current)) > 0)
      throw new ApiError('conflict', 'Another token has this name.');
    const { secret: token, prefix, secretHash: tokenHash } = newSecret('slt_', randomBytes);
    const id = orderedId(context.now, revision, randomBytes);
    const row = { id, name, role, prefix, tokenHash, expiresAt, revokedAt: null, ...newRow(context, revision) };
    return {
      audit: { action: 'token.create', target: id, after: toTokenRecord(row) },
      statements: [database.drizzle.insert(adminTokens).values(row)],
      result: { ...toAdminToken(row, null), token },
    };
  });
});
