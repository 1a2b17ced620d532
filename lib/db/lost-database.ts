import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UnusableDatabase } from '@/lib/db/unusable-database';

/** A file that shows that there was a database: its secret, a backup or its log. */
export interface Trace {
  kind: 'companion' | 'backup' | 'log';
  file: string;
}

/** The first bytes of every SQLite database. */
const MAGIC = 'SQLite format 3\0';
/** Bytes at the start of a file in which the name of our first table is looked for. */
const LOOKED_THROUGH = 256 * 1024;

/**
 * The first file that shows that there was a database at a path; null in a folder where Sluice starts for the first
 * time. Check it before the database: another process that starts now creates its tables before any of these files.
 * @param path of the database
 * @param companion name of a file that is kept beside every database
 */
export function traceOfDatabase(path: string, companion: string): Trace | null {
  const directory = dirname(path);
  const own = basename(path);
  const names = filesIn(directory);
  const at = (name: string) => join(directory, name);
  if (names.includes(companion)) return { kind: 'companion', file: at(companion) };
  const backup = names.find((name) => isBackup(own, name, at(name)));
  if (backup !== undefined) return { kind: 'backup', file: at(backup) };
  // SQLite deletes a log without a database as soon as it opens one in its place.
  const log = `${own}-wal`;
  return names.includes(log) && hasContent(at(log)) ? { kind: 'log', file: at(log) } : null;
}

/** The error that prevents an empty database in place of a lost one. */
export function lostDatabase(path: string, { file }: Trace): UnusableDatabase {
  return new UnusableDatabase(
    [
      `DATABASE_URL names ${path}, which is missing or empty, but there has been a database: ${file} is still there.`,
      `Restore a backup as ${path}. If you mean to begin with an empty database, first move ${file} away.`,
    ].join('\n'),
  );
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

/** Whether a file is there and not empty. */
export function hasContent(path: string): boolean {
  try {
    return statSync(path).size > 0;
  } catch {
    return false;
  }
}
