/** The database cannot be used as it is; `message` is a sentence for the operator that names `DATABASE_URL`. */
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

/** The sentence for a fault met while a database file was opened. */
export function unusableFile(path: string, fault: unknown): UnusableDatabase {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
  const known = Object.keys(REASONS).find((name) => code === name || code.startsWith(`${name}_`));
  const reason =
    known === undefined
      ? `which cannot be opened (${fault instanceof Error ? fault.message : String(fault)})`
      : `${REASONS[known]} (${code})`;
  return new UnusableDatabase(`DATABASE_URL names ${path}, ${reason}.`, { cause: fault });
}
