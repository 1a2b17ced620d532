import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Client, InStatement, ResultSet } from '@libsql/client';
import type { BatchItem } from 'drizzle-orm/batch';
import type { LibSQLDatabase } from 'drizzle-orm/libsql';
import type Libsql from 'libsql';
import { convertDatabaseError } from '@/lib/db/errors';
import { type ObserveCall, ObservedClient } from '@/lib/db/observed-client';
import { createDrizzle, PLAIN_READING, type RowReading } from '@/lib/db/readable-rows';
import { openRemote, type RemoteClientOptions } from '@/lib/db/remote-client';

/** A statement that Drizzle has built and not run yet. */
export type Statement = BatchItem<'sqlite'>;

/** State of a trial (`lib/db/trial-database.ts`), in addition to its rows. */
export interface Trial {
  /** The newest audit record of the trial. Undefined before the first. */
  newest: { seq: number; hash: string } | undefined;
  /** True if reads ignore the trial's writes, which saves running these again. */
  isAside: boolean;
  /** @returns a function that discards all later writes of the trial */
  mark(): () => void;
}

/**
 * The libSQL database, embedded or remote, behind one Drizzle type. It has no interactive transactions on purpose. A
 * change is read, planned and then written as one atomic `batch` (see `lib/admin/change.ts`). A batch that only reads
 * takes no lock, and all of its rows are of one point in time.
 */
export interface Database {
  readonly kind: 'embedded' | 'remote';
  readonly drizzle: LibSQLDatabase;
  /** Row reading of the queries of `drizzle`. */
  readonly reading: RowReading;
  readonly client: Client;
  /** Client for `commit`. */
  readonly early: Client;
  /** The embedded connection, which the counter store shares. Null if the database is remote. */
  readonly handle: Libsql.Database | null;
  /**
   * Runs the statements in one immediate transaction, which is durable when the promise resolves. @throws
   * ConstraintViolation, DatabaseUnavailable
   */
  batch(statements: readonly Statement[]): Promise<void>;
  /**
   * Works like `batch`, but resolves once the transaction is committed: readers see it, and it survives `kill -9`. No
   * answer may depend on it before `waitUntilDurable` has resolved.
   */
  commit(statements: readonly Statement[]): Promise<void>;
  /**
   * Returns the results of statements as if `writes` had run before, then rolls back both. Other writers are blocked
   * during the call.
   * @throws Error of the driver
   */
  runAndRollBack(writes: readonly InStatement[], statements: readonly InStatement[]): Promise<ResultSet[]>;
  /** Set if writes are visible only to readers of this object, and never stored. */
  readonly trial: Trial | null;
  /** Resolves when all current commits, of this process or another, survive a power cut. @throws DatabaseUnavailable */
  waitUntilDurable(): Promise<void>;
  /**
   * Runs `work` after earlier calls have ended. This is a method and not a module, because the bundles of one process
   * share the database but have separate copies of modules.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Returns whether the open file is still the one at its path. False after the file was deleted, moved or replaced,
   * because further writes would be lost. Always true for a remote database.
   */
  isInPlace(): boolean;
  close(): void;
}

/** Returns the path in a `file:` URL. Relative paths stay relative to the working directory. */
export function parseFilePath(url: string): string {
  const rest = url.slice('file:'.length).split('?')[0] ?? '';
  return decodeURIComponent(rest.startsWith('//') ? new URL(url).pathname : rest);
}

/** Size of the page cache of an embedded file: 64 MiB in SQLite's notation, and 2 MiB for `SMALL_CACHE`. */
export const PAGE_CACHE = -65_536;
const SMALL_CACHE = -2_048;

/**
 * Runs a read that happens only once. It uses a small cache, because its pages would stay in memory until others
 * replace them.
 */
export async function readOnce<T>({ handle }: Pick<Database, 'handle'>, read: () => Promise<T>): Promise<T> {
  // Calling a closed handle crashes the process.
  const keep = (cache: number) => handle?.open && handle.exec(`pragma cache_size = ${cache}`);
  keep(SMALL_CACHE);
  try {
    return await read();
  } finally {
    keep(PAGE_CACHE);
  }
}

/** Opens the database on a libSQL server. It connects with the first call. */
export function openRemoteDatabase(options: RemoteClientOptions): Database {
  const { client, runAndRollBack } = openRemote(options);
  // Answers of a server are durable already.
  return wrap({
    client,
    runAndRollBack,
    early: client,
    handle: null,
    isInPlace: () => true,
    waitUntilDurable: async () => undefined,
  });
}

/** Wraps each call of a database with `observe`, and reads rows in another way. */
export function observeDatabase(database: Database, observe: ObserveCall, reading: RowReading): Database {
  const { client, early } = database;
  return wrap({
    ...database,
    reading,
    client: new ObservedClient(client, observe),
    early: new ObservedClient(early, observe),
  });
}

type Parts = Pick<Database, 'client' | 'early' | 'handle' | 'isInPlace' | 'runAndRollBack' | 'waitUntilDurable'> &
  Partial<Pick<Database, 'reading'>>;

/** Creates a database on these connections. */
export function wrap(parts: Parts): Database {
  const { client, early, handle, reading = PLAIN_READING } = parts;
  const database = createDrizzle(client, reading);
  const beforeDurable = createDrizzle(early, reading);
  const createBatch =
    (on: LibSQLDatabase) =>
    async ([first, ...rest]: readonly Statement[]) => {
      if (first === undefined) return;
      try {
        await on.batch([first, ...rest]);
      } catch (error) {
        throw convertDatabaseError(error);
      }
    };
  let last: Promise<unknown> = Promise.resolve();
  return {
    kind: handle === null ? 'remote' : 'embedded',
    ...parts,
    drizzle: database,
    reading,
    trial: null,
    batch: createBatch(database),
    commit: createBatch(beforeDurable),
    inTurn: (work) => {
      const turn = last.then(work);
      // The pause lets decisions and pages run. Otherwise, on a file, all waiting work would run in one turn of the
      // event loop.
      last = turn.then(
        () => nextTurn(),
        () => nextTurn(),
      );
      return turn;
    },
    close: () => client.close(),
  };
}
