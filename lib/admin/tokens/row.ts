import type { adminTokens } from '@/drizzle/schema';
import { buildLifetime } from '@/lib/admin/new-row';
import { formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import type { AdminToken } from '@/lib/contract/tokens';

type AdminTokenRow = typeof adminTokens.$inferSelect;

/** Converts a token to the form that the audit log stores. It holds only the prefix of the secret. */
export function buildStoredToken(row: AdminTokenRow): Omit<AdminToken, 'last_used_at'> {
  const { id, name, role, prefix } = row;
  return { id, name, role, prefix, ...buildLifetime(row) };
}

export function buildAdminToken(row: AdminTokenRow, lastUsedAt: number | null): AdminToken {
  return { ...buildStoredToken(row), last_used_at: formatTimestampOrNull(lastUsedAt) };
}
