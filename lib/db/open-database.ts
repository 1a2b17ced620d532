import { closeSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import { type CheckpointOptions, CheckpointThread, PAGES_IN_TURN } from '@/lib/db/checkpoint-thread';
import { type Database, openRemoteDatabase, PAGE_CACHE, parseFilePath, wrap } from '@/lib/db/database';
import { EmbeddedClient } from '@/lib/db/embedded-client';
import { LogSync } from '@/lib/db/log-sync';
import { makeOwnDirectory, OWNER_ONLY, restrictToOwner } from '@/lib/db/owner-only';
import { refuseDamage } from '@/lib/db/refuse-damage';
import type { RemoteClientOptions } from '@/lib/db/remote-client';
import {
  createLostDatabaseError,
  createUnusableFileError,
  hasContent,
  traceOfDatabase,
  UnusableDatabase,
} from '@/lib/db/unusable-database';

export interface OpenOptions extends RemoteClientOptions {
  /**
   * Name of a file that is kept next to the database. If it, a backup or a log exists, a database that is missing or
   * has no tables was lost. It is then not created again.
   */
  companion?: string;
  /** For a process that decides: copies the log of an embedded file on a thread, if the file has a log. */
  checkpoints?: CheckpointOptions;
}

const IN_MEMORY = ':memory:';
/**
 * Opens the database. A missing embedded file is created, with its directory, for its owner only. An existing one is
 * checked for damage (over 512 MiB, only its schema) and closed to other users.
 * @throws UnusableDatabase if the file cannot be opened or created, is no database, is damaged or was lost
 */
export function openDatabase(options: OpenOptions): Database {
  if (!options.url.startsWith('file:')) return openRemoteDatabase(options);
  const path = parseFilePath(options.url);
  const trace = options.companion === undefined ? null : traceOfDatabase(path, options.companion);
  if (trace !== null && !hasContent(path)) throw createLostDatabaseError(path, trace);
  try {
    const real = path === IN_MEMORY ? path : createOwnFile(path);
    const handle = openHandle(path);
    const isEmpty = () => handle.prepare('select 1 from sqlite_master limit 1').get() === undefined;
    if (trace !== null && trace.kind !== 'log' && isEmpty()) {
      handle.close();
      throw createLostDatabaseError(path, trace);
    }
    const opened = readFileIdentity(path);
    const isInPlace = () => opened === readFileIdentity(path);
    const log = hasWriteAheadLog(handle) ? LogSync.create(`${real}-wal`) : null;
    const checkpoints =
      log === null || options.checkpoints === undefined
        ? null
        : new CheckpointThread({ handle, path: real, isInPlace }, options.checkpoints);
    const client = new EmbeddedClient(handle, { ...options, isInPlace, log, checkpoints });
    const early = new EmbeddedClient(handle, { ...options, isInPlace, log, checkpoints, early: true });
    return wrap({
      ...{ client, early, handle, isInPlace, waitUntilDurable: async () => log?.waitUntilDurable() },
      runAndRollBack: (writes, statements) => client.runAndRollBack(writes, statements),
    });
  } catch (error) {
    throw error instanceof UnusableDatabase ? error : createUnusableFileError(path, error);
  }
}

/**
 * Creates the file if it is missing, for its owner only.
 * @returns its real path, because SQLite keeps its log there and not next to a link
 */
function createOwnFile(path: string): string {
  makeOwnDirectory(dirname(path));
  closeSync(openSync(path, 'a', OWNER_ONLY));
  const real = realpathSync(path);
  for (const file of [real, `${real}-wal`, `${real}-shm`]) restrictToOwner(file);
  return real;
}

function openHandle(path: string): Libsql.Database {
  const handle = new Libsql(path);
  try {
    // This wait is short. EmbeddedClient and the counter store wait longer without blocking.
    handle.exec('pragma busy_timeout = 4000');
    handle.exec('pragma journal_mode = wal');
    if (path !== IN_MEMORY) refuseDamage(handle, path);
    handle.exec('pragma busy_timeout = 10');
    // Without a log, as in memory or if files cannot be shared, each commit is durable by itself.
    handle.exec(`pragma synchronous = ${hasWriteAheadLog(handle) ? 'normal' : 'full'}`);
    handle.exec('pragma foreign_keys = on');
    handle.exec(`pragma cache_size = ${PAGE_CACHE}`);
    handle.exec('pragma temp_store = memory');
    handle.exec(`pragma wal_autocheckpoint = ${PAGES_IN_TURN}`);
    handle.exec('pragma journal_size_limit = 67108864');
    return handle;
  } catch (error) {
    handle.close();
    throw error;
  }
}

/** Returns whether commits go to a write-ahead log, which is synced separately. */
function hasWriteAheadLog(handle: Libsql.Database): boolean {
  const [mode] = handle.prepare('pragma journal_mode').raw().all() as [string][];
  return mode?.[0] === 'wal';
}

/** Returns device and inode, or null if the path does not exist. */
function readFileIdentity(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
