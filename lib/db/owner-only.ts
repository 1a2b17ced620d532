import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Mode of a file that only its owner can read and write. SQLite gives a database's `-wal` and `-shm` the same mode. */
export const OWNER_ONLY = 0o600;

/**
 * Creates a directory, and its parents, that only its owner can enter. Existing directories stay unchanged. It creates
 * one level at a time, because Node's recursive `mkdir` never returns if a directory takes no entries (below `/proc`).
 */
export function makeOwnDirectory(directory: string): void {
  if (existsSync(directory)) return;
  const parent = dirname(directory);
  if (parent !== directory) makeOwnDirectory(parent);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another starting process was first.
    if (!existsSync(directory)) throw error;
  }
}

/** Removes all permissions of other users from a file, if this process owns it. */
export function restrictToOwner(file: string): void {
  try {
    const { uid, mode } = statSync(file);
    if (uid === process.getuid?.() && (mode & 0o077) !== 0) chmodSync(file, mode & 0o700);
  } catch {
    // The file is missing, or its file system has no modes.
  }
}
