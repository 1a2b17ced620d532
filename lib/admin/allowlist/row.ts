import { and, eq, isNull } from 'drizzle-orm';
import { allowlist } from '@/drizzle/schema';
import type { AllowlistEntry } from '@/lib/contract/allowlist';
import type { IdentifierType } from '@/lib/contract/fields/enumerations';
import { toInstant, toInstantOrNull } from '@/lib/contract/fields/instant';
import type { Database } from '@/lib/db/database';

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

/** The entry of an identifier that was not removed, expired or not. There is at most one. */
export async function presentAllowlistRow(
  database: Database,
  type: IdentifierType,
  identifier: string,
): Promise<AllowlistRow | undefined> {
  const [row] = await database.drizzle
    .select()
    .from(allowlist)
    .where(and(eq(allowlist.type, type), eq(allowlist.identifier, identifier), isNull(allowlist.removedAt)));
  return row;
}
