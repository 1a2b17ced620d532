import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Mode of a file that only its owner reads and writes. SQLite gives a database's `-wal` and `-shm` the same. */
export const OWNER_ONLY = 0o600;

/**
 * Makes a directory that only its owner enters, with those above it; one that is there stays as it is. Step by step:
 * Node's recursive `mkdir` never comes back where a directory takes no entries (below `/proc`).
 */
export function makeOwnDirectory(directory: string): void {
  if (existsSync(directory)) return;
  const parent = dirname(directory);
  if (parent !== directory) makeOwnDirectory(parent);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process that starts at the same time was first.
    if (!existsSync(directory)) throw error;
  }
}

/** Takes a file away from everybody but its owner, where the owner is this process; any other file stays as it is. */
export function closeToOthers(file: string): void {
  try {
    const { uid, mode } = statSync(file);
    if (uid === process.getuid?.() && (mode & 0o077) !== 0) chmodSync(file, mode & 0o700);
  } catch {
    // It is not there, or its file system knows no modes.
  }
}
