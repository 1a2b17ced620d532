import type { adminTokens } from '@/drizzle/schema';
import { toLifetime } from '@/lib/admin/new-row';
import { toInstantOrNull } from '@/lib/contract/fields/instant';
import type { AdminToken } from '@/lib/contract/tokens';

type AdminTokenRow = typeof adminTokens.$inferSelect;

/** Converts a token to the form that the audit log stores. It holds only the prefix of the secret. */
export function toTokenRecord(row: AdminTokenRow): Omit<AdminToken, 'last_used_at'> {
  const { id, name, role, prefix } = row;
  return { id, name, role, prefix, ...toLifetime(row) };
}

export function toAdminToken(row: AdminTokenRow, lastUsedAt: number | null): AdminToken {
  return { ...toTokenRecord(row), last_used_at: toInstantOrNull(lastUsedAt) };
}
