import type { allowlist } from '@/drizzle/schema';
import type { AllowlistEntry } from '@/lib/contract/allowlist';
import { toInstant, toInstantOrNull } from '@/lib/contract/fields/instant';

export type AllowlistRow = typeof allowlist.$inferSelect;

/** An entry as it leaves Sluice. */
export function toAllowlistEntry(row: AllowlistRow): AllowlistEntry {
  return {
    id: row.id,
    type: row.type,
    identifier: row.identifier,
    reason: row.reason,
    expires_at: toInstantOrNull(row.expiresAt),
    created_at: toInstant(row.createdAt),
    created_by: row.createdBy,
  };
}
