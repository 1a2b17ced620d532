import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { settings } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import type { Millis } from '@/lib/units';

/** Name of the row in `settings`. */
export const INSTALLATION_SETTING = 'installation';

/**
 * Reads the id of a database, which is created once and stored in it. A copy or a restored backup has the same id, and
 * Redis data of another database is recognised.
 */
export async function readInstallation({ drizzle }: Pick<Database, 'drizzle'>, now: Millis): Promise<string> {
  const read = () =>
    drizzle.select({ value: settings.value }).from(settings).where(eq(settings.name, INSTALLATION_SETTING));
  const [existing] = await read();
  if (existing !== undefined) return String(JSON.parse(existing.value));
  const row = { name: INSTALLATION_SETTING, value: JSON.stringify(randomUUID()), updatedAt: now, revision: 0 };
  // If several processes start together, one creates the id.
  await drizzle.insert(settings).values(row).onConflictDoNothing();
  const [stored = row] = await read();
  return String(JSON.parse(stored.value));
}
