import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UnusableDatabase } from '@/lib/db/unusable-database';

/** The first bytes of every SQLite database. */
const MAGIC = 'SQLite format 3\0';
/** Bytes at the start of a file in which the name of our first table is looked for. */
const LOOKED_THROUGH = 256 * 1024;

/**
 * Refuses to begin with an empty database where there has been one: a secret, a log or a backup beside the missing (or
 * emptied) file says so. Nothing is said of a folder without any of them, which is a first start.
 * @param path of the database
 * @param companion name of a file that is kept beside every database
 * @throws UnusableDatabase naming what was found, and how to go on
 */
export function refuseLostDatabase(path: string, companion: string): void {
  // The traces first: another process that starts now makes its database before any of them.
  const trace = traceOf(path, companion);
  if (trace === null || hasContent(path)) return;
  throw new UnusableDatabase(
    [
      `DATABASE_URL names ${path}, which is missing or empty, but there has been a database: ${trace} is still there.`,
      `Restore a backup as ${path}. If you mean to begin with an empty database, first move ${trace} away.`,
    ].join('\n'),
  );
}

function traceOf(path: string, companion: string): string | null {
  const directory = dirname(path);
  const own = basename(path);
  const names = filesIn(directory);
  // SQLite deletes a log without a database as soon as it opens one in its place.
  const log = `${own}-wal`;
  if (names.includes(log) && hasContent(join(directory, log))) return join(directory, log);
  if (names.includes(companion)) return join(directory, companion);
  const backup = names.find((name) => isBackup(own, name, join(directory, name)));
  return backup === undefined ? null : join(directory, backup);
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  } catch {
    return [];
  }
}

/** A file named after the database (`sluice.db.bak`, `sluice.db.gz`), or a database of Sluice under another name. */
function isBackup(own: string, name: string, path: string): boolean {
  if (name === own || [`${own}-wal`, `${own}-shm`, `${own}-journal`].includes(name)) return false;
  return name.startsWith(`${own}.`) || name.startsWith(`${own}-`) || holdsOurTables(path);
}

function holdsOurTables(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    try {
      const start = Buffer.alloc(LOOKED_THROUGH);
      const text = start.toString('latin1', 0, readSync(file, start, 0, LOOKED_THROUGH, 0));
      return text.startsWith(MAGIC) && text.includes('sluice_migrations');
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

function hasContent(path: string): boolean {
  try {
    return statSync(path).size > 0;
  } catch {
    return false;
  }
}
