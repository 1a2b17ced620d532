import type { adminTokens } from '@/drizzle/schema';
import { toInstant, toInstantOrNull } from '@/lib/contract/fields/instant';
import type { AdminToken } from '@/lib/contract/tokens';

export type AdminTokenRow = typeof adminTokens.$inferSelect;

/** The audit log's name for admin tokens. */
export const TOKEN_TARGET = 'token';

/** A token as the audit log keeps it: nothing of its secret but the prefix. */
export function toTokenRecord(row: AdminTokenRow): Omit<AdminToken, 'last_used_at'> {
  const { id, name, role, prefix } = row;
  return {
    id,
    name,
    role,
    prefix,
    expires_at: toInstantOrNull(row.expiresAt),
    created_at: toInstant(row.createdAt),
    created_by: row.createdBy,
  };
}

/** A token as it leaves Sluice. */
export function toAdminToken(row: AdminTokenRow, lastUsedAt: number | null): AdminToken {
  return { ...toTokenRecord(row), last_used_at: toInstantOrNull(lastUsedAt) };
}
