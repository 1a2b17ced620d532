import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { settings } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import type { Millis } from '@/lib/units';

/**
 * The id of a database, created once and stored in it, so that a copy or a restored backup has the same and Redis data of
 * another database is recognised.
 */
export async function installationOf({ drizzle }: Pick<Database, 'drizzle'>, now: Millis): Promise<string> {
  const read = () => drizzle.select({ value: settings.value }).from(settings).where(eq(settings.name, 'installation'));
  const [existing] = await read();
  if (existing !== undefined) return String(JSON.parse(existing.value));
  const row = { name: 'installation', value: JSON.stringify(randomUUID()), updatedAt: now, revision: 0 };
  // Of several processes that start together, one creates it.
  await drizzle.insert(settings).values(row).onConflictDoNothing();
  const [stored = row] = await read();
  return String(JSON.parse(stored.value));
}
