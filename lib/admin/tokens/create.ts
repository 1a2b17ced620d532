import { and, eq, isNull } from 'drizzle-orm';
import { adminTokens } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { checkedExpiry } from '@/lib/admin/exceptions';
import { orderedId } from '@/lib/admin/new-row';
import { type AdminTokenRow, TOKEN_TARGET, toAdminToken, toTokenRecord } from '@/lib/admin/tokens/row';
import { hashSecret } from '@/lib/auth/secret-hash';
import { createToken as contract } from '@/lib/contract/tokens';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

const SECRET_BYTES = 32;
/** `slt_` and eight characters: 208 of the 256 random bits stay unseen. */
const PREFIX_LENGTH = 12;

/** Makes an admin token; it is in this answer and nowhere else. */
export const createToken = implement(contract, (context, { body }) => {
  const { database, randomBytes } = context.services;
  const expiresAt = checkedExpiry(body.expires_at, context.now);
  return change(context, async (revision) => {
    const named = await database.drizzle
      .select({ id: adminTokens.id })
      .from(adminTokens)
      .where(and(eq(adminTokens.name, body.name), isNull(adminTokens.revokedAt)));
    if (named.length > 0) throw new ApiError('conflict', 'Another token has this name.');
    const token = `slt_${Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url')}`;
    const row: AdminTokenRow = {
      id: orderedId(context.now, revision, randomBytes),
      name: body.name,
      role: body.role,
      prefix: token.slice(0, PREFIX_LENGTH),
      tokenHash: hashSecret(token),
      expiresAt,
      createdAt: context.now,
      createdBy: context.actor.name,
      revokedAt: null,
      revision,
    };
    return {
      audit: { action: 'token.create', targetType: TOKEN_TARGET, target: row.id, after: toTokenRecord(row) },
      statements: [database.drizzle.insert(adminTokens).values(row)],
      result: { ...toAdminToken(row, null), token },
    };
  });
});
