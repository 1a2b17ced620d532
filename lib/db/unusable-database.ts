import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The database cannot be used. `message` is a sentence for the operator that names `DATABASE_URL`. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

const REASONS: Record<string, string> = {
  EISDIR: 'which is a directory: name a file in it',
  ENOTDIR: 'and a part of this path is a file, not a directory',
  ENOENT: 'and its directory cannot be made',
  EACCES: 'where this user may not write',
  EPERM: 'where this user may not write',
  EROFS: 'on a file system that is read-only',
  ENOSPC: 'and the disk is full',
  SQLITE_FULL: 'and the disk is full',
  SQLITE_NOTADB: 'which is not a database, or an encrypted one',
  SQLITE_CORRUPT: 'which is damaged: restore a backup',
  SQLITE_BUSY: 'which another program keeps locked',
  SQLITE_LOCKED: 'which another program keeps locked',
  SQLITE_READONLY: 'which this user may not write',
  SQLITE_IOERR: 'and the disk fails to read or write it',
  SQLITE_CANTOPEN: 'which cannot be opened',
};

/** Builds the error for a fault during the opening of a database file. */
export function createUnusableFileError(path: string, fault: unknown): UnusableDatabase {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
  const reasonCode = Object.keys(REASONS).find((name) => code === name || code.startsWith(`${name}_`));
  const reason =
    reasonCode === undefined
      ? `which cannot be opened (${fault instanceof Error ? fault.message : String(fault)})`
      : `${REASONS[reasonCode]} (${code})`;
  return new UnusableDatabase(`DATABASE_URL names ${path}, ${reason}.`, { cause: fault });
}

/** A file that proves that there was a database: its secret, a backup or its log. */
interface Trace {
  kind: 'companion' | 'backup' | 'log';
  file: string;
}

/** The first bytes of every SQLite database. */
const MAGIC = 'SQLite format 3\0';
/** Bytes at the start of a file that are searched for the name of our first table. */
const LOOKED_THROUGH = 256 * 1024;

/**
 * Finds the first file that proves that there was a database at a path. Returns null in a directory where Sluice starts
 * for the first time. Call it before the database is checked, because another starting process creates its tables
 * before any of these files.
 * @param path path of the database
 * @param companion name of a file that is kept next to every database
 */
export function traceOfDatabase(path: string, companion: string): Trace | null {
  const directory = dirname(path);
  const own = basename(path);
  const entries = readOrDefault([], () => readdirSync(directory, { withFileTypes: true }));
  const names = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  const buildPath = (name: string) => join(directory, name);
  if (names.includes(companion)) return { kind: 'companion', file: buildPath(companion) };
  const backup = names.find((name) => isBackup(own, name, buildPath(name)));
  if (backup !== undefined) return { kind: 'backup', file: buildPath(backup) };
  // SQLite deletes a log without a database when it opens a new one in its place.
  const log = `${own}-wal`;
  return names.includes(log) && hasContent(buildPath(log)) ? { kind: 'log', file: buildPath(log) } : null;
}

/** Builds the error that prevents an empty database from replacing a lost one. */
export function createLostDatabaseError(path: string, { file }: Trace): UnusableDatabase {
  return new UnusableDatabase(
    [
      `DATABASE_URL names ${path}, which is missing or empty, although ${file} shows that a database existed.`,
      `Restore a backup as ${path}. To start with an empty database, first move ${file} away.`,
    ].join('\n'),
  );
}

/**
 * Returns whether a file is a backup: named after the database (`sluice.db.bak`, `sluice.db.gz`), or a database of
 * Sluice under another name.
 */
function isBackup(own: string, name: string, path: string): boolean {
  if (name === own || [`${own}-wal`, `${own}-shm`, `${own}-journal`].includes(name)) return false;
  return name.startsWith(`${own}.`) || name.startsWith(`${own}-`) || hasOurTables(path);
}

function hasOurTables(path: string): boolean {
  return readOrDefault(false, () => {
    const file = openSync(path, 'r');
    try {
      const start = Buffer.alloc(LOOKED_THROUGH);
      const text = start.toString('latin1', 0, readSync(file, start, 0, LOOKED_THROUGH, 0));
      return text.startsWith(MAGIC) && text.includes('sluice_migrations');
    } finally {
      closeSync(file);
    }
  });
}

/** Returns whether a file exists and is not empty. */
export function hasContent(path: string): boolean {
  return readOrDefault(false, () => statSync(path).size > 0);
}

/** Reads from the file system, and returns a default on failure. */
function readOrDefault<T>(missing: T, read: () => T): T {
  try {
    return read();
  } catch {
    return missing;
  }
}

/**
 * Queries a remote database before any change to it, and waits at most 4 seconds for the answer.
 * @param url `DATABASE_URL`; only its scheme, host and port appear in messages
 * @throws UnusableDatabase if it cannot be reached, refuses, or is no libSQL server
 */
export async function reachServer<T>(
  read: () => Promise<T>,
  { url, wait }: { url: string; wait: (milliseconds: number) => Promise<void> },
): Promise<T> {
  const { protocol, host } = new URL(url);
  const late = wait(4_000).then(() => {
    throw new Error('no answer within 4 seconds');
  });
  try {
    return await Promise.race([read(), late]);
  } catch (error) {
    const reason = readInnermostMessage(error);
    const sentence = /HTTP status 40[13]/.test(reason)
      ? 'which refuses access: DATABASE_AUTH_TOKEN is missing or wrong'
      : 'which cannot be reached';
    throw new UnusableDatabase(`DATABASE_URL names the server ${protocol}//${host}, ${sentence} (${reason}).`, {
      cause: error,
    });
  }
}

/** Returns the first line of the message of the innermost fault. */
export function readInnermostMessage(fault: unknown): string {
  let innermost = fault;
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause;
  const message = innermost instanceof Error ? innermost.message : String(innermost);
  return (message.split('\n', 1)[0] ?? '').slice(0, 200);
}
