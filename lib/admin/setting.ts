import { eq } from 'drizzle-orm';
import { settings } from '@/drizzle/schema';
import type { Database, Statement } from '@/lib/db/database';
import type { POLICIES_SETTING, ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';

type SettingName = typeof POLICIES_SETTING | typeof ROUTE_RULES_SETTING;

/** A stored document, undefined when it was never changed. */
export async function readSetting(database: Database, name: SettingName): Promise<unknown> {
  const [row] = await database.drizzle.select({ value: settings.value }).from(settings).where(eq(settings.name, name));
  return row === undefined ? undefined : JSON.parse(row.value);
}

/** Stores a document. */
export function writeSetting(
  database: Database,
  name: SettingName,
  document: unknown,
  now: number,
  revision: number,
): Statement {
  const row = { value: JSON.stringify(document), updatedAt: now, revision };
  return database.drizzle
    .insert(settings)
    .values({ name, ...row })
    .onConflictDoUpdate({ target: settings.name, set: row });
}
