import { and, eq, isNull } from 'drizzle-orm';
import { allowlist } from '@/drizzle/schema';
import type { AllowlistRow } from '@/lib/admin/allowlist/entry';
import type { IdentifierType } from '@/lib/contract/fields/enumerations';
import type { Database } from '@/lib/db/database';

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
