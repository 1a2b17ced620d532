import { randomBytes } from 'node:crypto';
import { constants, copyFileSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '@/lib/config/config';
import { makeOwnDirectory, OWNER_ONLY, restrictToOwner } from '@/lib/db/owner-only';

/** Name of the file that holds the secret, in the directory of the local database. */
export const AUTH_SECRET_FILE = 'auth-secret';

/**
 * Returns the secret that signs sessions: `AUTH_SECRET`, or else 256 random bits. These are generated once and stored
 * next to the local database, in a file that only its owner can read. Processes that start together use the same
 * secret.
 *
 * @param directory directory of the local database; null if there is none
 * @throws ConfigError naming `AUTH_SECRET` if it is not set and cannot be stored
 */
export function loadAuthSecret(config: Pick<Config, 'AUTH_SECRET'>, directory: string | null): string {
  if (config.AUTH_SECRET !== undefined) return config.AUTH_SECRET;
  if (directory === null) {
    throw new ConfigError(
      'AUTH_SECRET is missing: without a local database there is no place to keep a generated one.',
    );
  }
  const path = join(directory, AUTH_SECRET_FILE);
  try {
    const secret = read(path) ?? make(directory, path);
    if (secret.length >= 32) return secret;
    throw new ConfigError(`AUTH_SECRET is not set and the file "${AUTH_SECRET_FILE}" next to the database is damaged.`);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError('AUTH_SECRET is missing: a generated one could not be stored next to the database.', {
      cause: error,
    });
  }
}

/** Reads the existing secret without generating one. Returns null if it is not accessible. */
export function readAuthSecret(config: Pick<Config, 'AUTH_SECRET'>, directory: string | null): string | null {
  if (config.AUTH_SECRET !== undefined) return config.AUTH_SECRET;
  return directory === null ? null : read(join(directory, AUTH_SECRET_FILE));
}

function read(path: string): string | null {
  try {
    restrictToOwner(path);
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Writes the file under another name and links it into place. Only one process can succeed at that. */
function make(directory: string, path: string): string {
  makeOwnDirectory(directory);
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  const secret = `${randomBytes(32).toString('base64url')}\n`;
  try {
    writeFileSync(/* turbopackIgnore: true */ draft, secret, { flag: 'wx', mode: OWNER_ONLY, flush: true });
    linkIfMissing(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  return read(path) ?? '';
}

/** Does nothing if another process was first. */
function linkIfMissing(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    // Otherwise the file system has no hard links.
    if (readErrorCode(error) !== 'EEXIST') copyIfMissing(draft, path);
  }
}

function copyIfMissing(draft: string, path: string): void {
  try {
    copyFileSync(draft, path, constants.COPYFILE_EXCL);
  } catch (error) {
    if (readErrorCode(error) !== 'EEXIST') throw error;
  }
}

function readErrorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
