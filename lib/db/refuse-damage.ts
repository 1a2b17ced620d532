import { statSync } from 'node:fs';
import type Libsql from 'libsql';
import { findUnreadableText, isSchemaReadable } from '@/lib/db/unreadable-text';
import { UnusableDatabase } from '@/lib/db/unusable-database';

/** Size up to which a file is checked. 256 MB take up to 1.2 s, and a start must not take long. */
const CHECKED_UP_TO = 512 * 1024 * 1024;

/**
 * Checks the structure and the texts of a database file, and of a large one only the schema. All that is read later is
 * checked when it is read (`lib/db/select-rows.ts`).
 * @throws UnusableDatabase if it is damaged
 */
export function refuseDamage(handle: Libsql.Database, path: string): void {
  const refuse = (found: string) =>
    new UnusableDatabase(`DATABASE_URL names ${path}, which is damaged: restore a backup. (${found})`);
  if (!isSchemaReadable(handle)) throw refuse('Its schema holds a text that is not UTF-8.');
  if (statSync(path).size > CHECKED_UP_TO) return;
  const [found] = handle.prepare('pragma quick_check(1)').raw().all() as [string][];
  if (found?.[0] !== 'ok') {
    throw refuse(String(found?.[0]).replaceAll(/\s+/g, ' '));
  }
  const text = findUnreadableText(handle);
  if (text === null) return;
  const { table, column, row } = text;
  throw new UnusableDatabase(
    `DATABASE_URL names ${path}, which is damaged: the column ${column} of the table ${table} holds a text that is not UTF-8, in the row ${row}. Restore a backup, or correct the row with sqlite3.`,
  );
}
