import { closeSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Client, createClient, type InStatement, type ResultSet } from '@libsql/client';
import type { BatchItem } from 'drizzle-orm/batch';
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql';
import Libsql from 'libsql';
import { type CheckpointOptions, CheckpointThread, PAGES_IN_TURN } from '@/lib/db/checkpoint-thread';
import { BUSY_DEADLINE, EmbeddedClient, type EmbeddedClientOptions, isReading } from '@/lib/db/embedded-client';
import { toDatabaseError } from '@/lib/db/errors';
import { LogSync } from '@/lib/db/log-sync';
import { type ObserveCall, ObservedClient } from '@/lib/db/observed-client';
import { closeToOthers, makeOwnDirectory, OWNER_ONLY } from '@/lib/db/owner-only';
import { retryWhileBusy } from '@/lib/db/retry-while-busy';
import { hasContent, lostDatabase, traceOfDatabase, UnusableDatabase, unusableFile } from '@/lib/db/unusable-database';

/** A statement that Drizzle has built and not run yet. */
export type Statement = BatchItem<'sqlite'>;

/** What a trial (`lib/db/trial-database.ts`) knows of itself, beside its rows. */
export interface Trial {
  /** The newest audit record that was tried; undefined before the first. */
  newest: { seq: number; hash: string } | undefined;
  /** Whether reads are answered without what was tried, which saves running it again. */
  isAside: boolean;
  /** @returns what forgets all that is tried from now on */
  mark(): () => void;
}

/**
 * The libSQL database, embedded or remote, behind one Drizzle type. There are no interactive transactions on purpose:
 * a change is read, planned and then written as one atomic `batch` (see `lib/admin/change.ts`). A batch that only reads
 * takes no lock, and all of its rows are of one moment.
 */
export interface Database {
  readonly kind: 'embedded' | 'remote';
  readonly drizzle: LibSQLDatabase;
  readonly client: Client;
  /** As `client`, for `commit`. */
  readonly early: Client;
  /** The embedded connection, which the counter store shares; null when the database is remote. */
  readonly handle: Libsql.Database | null;
  /** Runs the statements in one immediate transaction, durable when it resolves. @throws ConstraintViolation, DatabaseUnavailable */
  batch(statements: readonly Statement[]): Promise<void>;
  /**
   * As `batch`, but resolves once the transaction is committed: readers see it, and it survives `kill -9`. Nothing may be
   * answered of it before `durable` has resolved.
   */
  commit(statements: readonly Statement[]): Promise<void>;
  /**
   * What statements answer as if others had been run before; both are rolled back. Nobody else can write meanwhile.
   * @throws Error of the driver
   */
  asIf(writes: readonly InStatement[], statements: readonly InStatement[]): Promise<ResultSet[]>;
  /** Set where what is written is seen by its own readers only, and kept nowhere. */
  readonly trial: Trial | null;
  /** Resolves when all that is committed now, by this process or another, survives a power cut. @throws DatabaseUnavailable */
  durable(): Promise<void>;
  /**
   * Runs `work` once that of earlier calls has ended. Here and not in a module: the bundles of one process have modules of
   * their own and share the database.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Whether the open file is the one at its path: false once it was deleted, moved or replaced, and what is written to
   * it would vanish. Always true of a remote database.
   */
  isInPlace(): boolean;
  close(): void;
}

export interface OpenOptions extends Omit<EmbeddedClientOptions, 'isInPlace' | 'log' | 'early' | 'checkpoints'> {
  url: string;
  authToken?: string | undefined;
  /**
   * Name of a file that is kept beside the database. When it, a backup or a log exists, a database that is missing or
   * has no tables was lost, and is not created again.
   */
  companion?: string;
  /** For a process that decides: an embedded file's log is copied into it on a thread, where it has one. */
  checkpoints?: CheckpointOptions;
}

/** The path in a `file:` URL; relative paths stay relative to the working directory. */
export function filePath(url: string): string {
  const rest = url.slice('file:'.length).split('?')[0] ?? '';
  return decodeURIComponent(rest.startsWith('//') ? new URL(url).pathname : rest);
}

/** Of an embedded file: 64 MiB, as SQLite says it; and 2 MiB. */
const PAGE_CACHE = -65_536;
const SMALL_CACHE = -2_048;

/** Reads what is read once: of an embedded file, its pages would stay in memory until others take their place. */
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
    const real = path === IN_MEMORY ? path : ownFile(path);
    const handle = openHandle(path);
    const isEmpty = () => handle.prepare('select 1 from sqlite_master limit 1').get() === undefined;
    if (trace !== null && trace.kind !== 'log' && isEmpty()) {
      handle.close();
      throw lostDatabase(path, trace);
    }
    const opened = identity(path);
    const isInPlace = () => opened === identity(path);
    const log = keepsLog(handle) ? LogSync.of(`${real}-wal`) : null;
    const checkpoints =
      log === null || options.checkpoints === undefined
        ? null
        : new CheckpointThread({ handle, path: real, isInPlace }, options.checkpoints);
    const client = new EmbeddedClient(handle, { ...options, isInPlace, log, checkpoints });
    const early = new EmbeddedClient(handle, { ...options, isInPlace, log, checkpoints, early: true });
    return wrap({
      ...{ client, early, handle, isInPlace, durable: async () => log?.durable() },
      asIf: (writes, statements) => client.asIf(writes, statements),
    });
  } catch (error) {
    throw error instanceof UnusableDatabase ? error : unusableFile(path, error);
  }
}

/**
 * Makes the file where there is none, for its owner alone.
 * @returns where it is: SQLite keeps its log there, not beside a link to it
 */
function ownFile(path: string): string {
  makeOwnDirectory(dirname(path));
  closeSync(openSync(path, 'a', OWNER_ONLY));
  const real = realpathSync(path);
  for (const file of [real, `${real}-wal`, `${real}-shm`]) closeToOthers(file);
  return real;
}

function openHandle(path: string): Libsql.Database {
  const handle = new Libsql(path);
  try {
    // A short wait here, a longer one without blocking in EmbeddedClient and the counter store.
    handle.exec('pragma busy_timeout = 4000');
    handle.exec('pragma journal_mode = wal');
    refuseDamage(handle, path);
    handle.exec('pragma busy_timeout = 10');
    // Without a log, as in memory or where files cannot be shared, each commit is durable by itself.
    handle.exec(`pragma synchronous = ${keepsLog(handle) ? 'normal' : 'full'}`);
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

/** Whether commits go to a write-ahead log, which is brought to the disk apart from them. */
function keepsLog(handle: Libsql.Database): boolean {
  const [mode] = handle.prepare('pragma journal_mode').raw().all() as [string][];
  return mode?.[0] === 'wal';
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
  const whenFree = <T>(work: () => Promise<T>) => {
    const start = monotonic();
    return retryWhileBusy(work, {
      wait,
      pause: () => 1 + random() * 9,
      isLast: () => monotonic() - start > BUSY_DEADLINE,
    });
  };
  // Drizzle asks for a deferred transaction, which can fail when it upgrades to a write. One that met a lock left nothing.
  client.batch = (statements, mode) =>
    whenFree(() => batch(statements, mode ?? (statements.every(isReading) ? 'read' : 'write')));
  return wrap({
    ...{ client, early: client, handle: null, isInPlace: () => true },
    asIf: (writes, statements) => whenFree(() => rolledBack(client, writes, statements)),
    // A server answers what is durable.
    durable: async () => undefined,
  });
}

/** The answers to `statements` after `writes`, in a transaction that is rolled back. */
async function rolledBack(client: Client, writes: readonly InStatement[], statements: readonly InStatement[]) {
  const transaction = await client.transaction('write');
  try {
    await transaction.batch([...writes]);
    return await transaction.batch([...statements]);
  } finally {
    await transaction.rollback().finally(() => transaction.close());
  }
}

/** The same database, with `observe` around each of its calls. */
export function observeDatabase(database: Database, observe: ObserveCall): Database {
  const { client, early } = database;
  return wrap({ ...database, client: new ObservedClient(client, observe), early: new ObservedClient(early, observe) });
}

type Parts = Pick<Database, 'client' | 'early' | 'handle' | 'isInPlace' | 'asIf' | 'durable'>;

/** A database on these connections. */
export function wrap(parts: Parts): Database {
  const { client, early, handle } = parts;
  const database = drizzle({ client });
  const beforeDurable = drizzle({ client: early });
  const batchOn =
    (on: LibSQLDatabase) =>
    async ([first, ...rest]: readonly Statement[]) => {
      if (first === undefined) return;
      try {
        await on.batch([first, ...rest]);
      } catch (error) {
        throw toDatabaseError(error);
      }
    };
  let last: Promise<unknown> = Promise.resolve();
  return {
    kind: handle === null ? 'remote' : 'embedded',
    ...parts,
    drizzle: database,
    trial: null,
    batch: batchOn(database),
    commit: batchOn(beforeDurable),
    inTurn: (work) => {
      const turn = last.then(work);
      // Decisions and pages have their turn between: on a file, all that waits would run in one turn of the event loop.
      last = turn.then(
        () => nextTurn(),
        () => nextTurn(),
      );
      return turn;
    },
    close: () => client.close(),
  };
}
