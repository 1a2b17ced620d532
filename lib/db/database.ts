import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Client, createClient } from '@libsql/client';
import type { BatchItem } from 'drizzle-orm/batch';
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql';
import Libsql from 'libsql';
import { BUSY_DEADLINE, EmbeddedClient, type EmbeddedClientOptions, isReading } from '@/lib/db/embedded-client';
import { toDatabaseError } from '@/lib/db/errors';
import { type ObserveCall, ObservedClient } from '@/lib/db/observed-client';
import { closeToOthers, makeOwnDirectory, OWNER_ONLY } from '@/lib/db/owner-only';
import { retryWhileBusy } from '@/lib/db/retry-while-busy';
import { hasContent, lostDatabase, traceOfDatabase, UnusableDatabase, unusableFile } from '@/lib/db/unusable-database';

/** A statement that Drizzle has built and not run yet. */
export type Statement = BatchItem<'sqlite'>;

/**
 * The libSQL database, embedded or remote, behind one Drizzle type. There are no interactive transactions on purpose:
 * a change is read, planned and then written as one atomic `batch` (see `lib/admin/change.ts`). A batch that only reads
 * takes no lock, and all of its rows are of one moment.
 */
export interface Database {
  readonly kind: 'embedded' | 'remote';
  readonly drizzle: LibSQLDatabase;
  readonly client: Client;
  /** The embedded connection, which the counter store shares; null when the database is remote. */
  readonly handle: Libsql.Database | null;
  /** Runs the statements in one immediate transaction. @throws ConstraintViolation, DatabaseUnavailable */
  batch(statements: readonly Statement[]): Promise<void>;
  /**
   * Whether the open file is the one at its path: false once it was deleted, moved or replaced, and what is written to
   * it would vanish. Always true of a remote database.
   */
  isInPlace(): boolean;
  close(): void;
}

export interface OpenOptions extends Omit<EmbeddedClientOptions, 'isInPlace'> {
  url: string;
  authToken?: string | undefined;
  /**
   * Name of a file that is kept beside the database. When it, a backup or a log exists, a database that is missing or
   * has no tables was lost, and is not created again.
   */
  companion?: string;
}

/** The path in a `file:` URL; relative paths stay relative to the working directory. */
export function filePath(url: string): string {
  const rest = url.slice('file:'.length).split('?')[0] ?? '';
  return decodeURIComponent(rest.startsWith('//') ? new URL(url).pathname : rest);
}

const IN_MEMORY = ':memory:';
/** A larger file is opened unchecked: 256 MB take 0.4 s, and a start must not take long. */
const CHECKED_UP_TO = 512 * 1024 * 1024;

/**
 * Opens the database. A missing embedded file is created, with its directory, for its owner alone; one that
 * exists is checked for damage (up to 512 MiB) and closed to other users.
 * @throws UnusableDatabase when the file cannot be opened or made, is no database, is damaged or was lost
 */
export function openDatabase(options: OpenOptions): Database {
  if (!options.url.startsWith('file:')) return remote(options);
  const path = filePath(options.url);
  const trace = options.companion === undefined ? null : traceOfDatabase(path, options.companion);
  if (trace !== null && !hasContent(path)) throw lostDatabase(path, trace);
  try {
    if (path !== IN_MEMORY) {
      makeOwnDirectory(dirname(path));
      closeSync(openSync(path, 'a', OWNER_ONLY));
      for (const file of [path, `${path}-wal`, `${path}-shm`]) closeToOthers(file);
    }
    const handle = openHandle(path);
    const isEmpty = () => handle.prepare('select 1 from sqlite_master limit 1').get() === undefined;
    if (trace !== null && trace.kind !== 'log' && isEmpty()) {
      handle.close();
      throw lostDatabase(path, trace);
    }
    const opened = identity(path);
    const isInPlace = () => opened === identity(path);
    return wrap(new EmbeddedClient(handle, { ...options, isInPlace }), handle, isInPlace);
  } catch (error) {
    throw error instanceof UnusableDatabase ? error : unusableFile(path, error);
  }
}

function openHandle(path: string): Libsql.Database {
  const handle = new Libsql(path);
  try {
    // A short wait here, a longer one without blocking in EmbeddedClient and the counter store.
    handle.exec('pragma busy_timeout = 4000');
    handle.exec('pragma journal_mode = wal');
    refuseDamage(handle, path);
    handle.exec('pragma busy_timeout = 10');
    handle.exec('pragma synchronous = normal');
    handle.exec('pragma foreign_keys = on');
    handle.exec('pragma cache_size = -65536');
    handle.exec('pragma temp_store = memory');
    // Busy writers wait for checkpoints: one per 64 MiB of log copies a page once that was written many times.
    handle.exec('pragma wal_autocheckpoint = 16000');
    handle.exec('pragma journal_size_limit = 67108864');
    return handle;
  } catch (error) {
    handle.close();
    throw error;
  }
}

function refuseDamage(handle: Libsql.Database, path: string): void {
  if (path !== IN_MEMORY && statSync(path).size > CHECKED_UP_TO) return;
  const [found] = handle.prepare('pragma quick_check(1)').raw().all() as [string][];
  if (found?.[0] === 'ok') return;
  throw new UnusableDatabase(
    `DATABASE_URL names ${path}, which is damaged: restore a backup. (${found?.[0]?.replaceAll(/\s+/g, ' ')})`,
  );
}

/** Device and inode; null when there is nothing at the path. */
function identity(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

function remote(options: OpenOptions): Database {
  const client = createClient({
    url: options.url,
    ...(options.authToken === undefined ? {} : { authToken: options.authToken }),
  });
  const batch = client.batch.bind(client);
  const { monotonic, wait, random } = options;
  client.batch = (statements, mode) => {
    const start = monotonic();
    // Drizzle asks for a deferred transaction, which can fail when it upgrades to a write. One that met a lock left nothing.
    return retryWhileBusy(() => batch(statements, mode ?? (statements.every(isReading) ? 'read' : 'write')), {
      wait,
      pause: () => 1 + random() * 9,
      isLast: () => monotonic() - start > BUSY_DEADLINE,
    });
  };
  return wrap(client, null, () => true);
}

/** The same database, with `observe` around each of its calls. */
export function observeDatabase({ client, handle, isInPlace }: Database, observe: ObserveCall): Database {
  return wrap(new ObservedClient(client, observe), handle, isInPlace);
}

function wrap(client: Client, handle: Libsql.Database | null, isInPlace: () => boolean): Database {
  const database = drizzle({ client });
  return {
    kind: handle === null ? 'remote' : 'embedded',
    drizzle: database,
    client,
    handle,
    async batch(statements) {
      const [first, ...rest] = statements;
      if (first === undefined) return;
      try {
        await database.batch([first, ...rest]);
      } catch (error) {
        throw toDatabaseError(error);
      }
    },
    isInPlace,
    close: () => client.close(),
  };
}
