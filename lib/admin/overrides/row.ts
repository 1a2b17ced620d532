import { and, eq, isNull } from 'drizzle-orm';
import { overrides } from '@/drizzle/schema';
import type { IdentifierType } from '@/lib/contract/fields/enumerations';
import { toInstant, toInstantOrNull } from '@/lib/contract/fields/instant';
import type { Override } from '@/lib/contract/overrides';
import type { Database } from '@/lib/db/database';
import type { EndpointClass } from '@/lib/limiter/meter';

export type OverrideRow = typeof overrides.$inferSelect;

/** The override of an identifier in a class that was not removed, expired or not. There is at most one. */
export async function presentOverrideRow(
  database: Database,
  target: { type: IdentifierType; identifier: string; class: EndpointClass },
): Promise<OverrideRow | undefined> {
  const [row] = await database.drizzle
    .select()
    .from(overrides)
    .where(
      and(
        eq(overrides.type, target.type),
        eq(overrides.identifier, target.identifier),
        eq(overrides.class, target.class),
        isNull(overrides.removedAt),
      ),
    );
  return row;
}

/** An override as it leaves Sluice. */
export function toOverride(row: OverrideRow, lastUsedAt: number | null): Override {
  return {
    id: row.id,
    type: row.type,
    identifier: row.identifier,
    class: row.class,
    limit: row.limit,
    window_seconds: row.windowSeconds,
    reason: row.reason,
    expires_at: toInstantOrNull(row.expiresAt),
    created_at: toInstant(row.createdAt),
    created_by: row.createdBy,
    last_used_at: toInstantOrNull(lastUsedAt),
  };
}
