import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Client, createClient } from '@libsql/client';
import type { BatchItem } from 'drizzle-orm/batch';
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql';
import Libsql from 'libsql';
import { EmbeddedClient, isReading } from '@/lib/db/embedded-client';
import { toDatabaseError } from '@/lib/db/errors';

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
  close(): void;
}

export interface OpenOptions {
  url: string;
  authToken?: string | undefined;
  /** Monotonic, in milliseconds. */
  monotonic: () => number;
  wait: (milliseconds: number) => Promise<void>;
  random: () => number;
}

/** The path in a `file:` URL; relative paths stay relative to the working directory. */
export function filePath(url: string): string {
  const rest = url.slice('file:'.length).split('?')[0] ?? '';
  return decodeURIComponent(rest.startsWith('//') ? new URL(url).pathname : rest);
}

/**
 * Opens the database. An embedded file is made when it is missing, with its directory.
 * @throws Error of the driver when the file cannot be opened or is no database
 */
export function openDatabase(options: OpenOptions): Database {
  if (!options.url.startsWith('file:')) return remote(options);
  const path = filePath(options.url);
  mkdirSync(dirname(path), { recursive: true });
  const handle = new Libsql(path);
  // A short wait here, a longer one without blocking in EmbeddedClient and the counter store.
  handle.exec('pragma busy_timeout = 5000');
  handle.exec('pragma journal_mode = wal');
  handle.exec('pragma busy_timeout = 10');
  handle.exec('pragma synchronous = normal');
  handle.exec('pragma foreign_keys = on');
  handle.exec('pragma cache_size = -65536');
  handle.exec('pragma temp_store = memory');
  // Checkpoints are what a busy writer waits for: one for 64 MiB of log copies a page once that was written many times.
  handle.exec('pragma wal_autocheckpoint = 16000');
  handle.exec('pragma journal_size_limit = 67108864');
  return wrap('embedded', new EmbeddedClient(handle, options), handle);
}

function remote(options: OpenOptions): Database {
  const client = createClient({
    url: options.url,
    ...(options.authToken === undefined ? {} : { authToken: options.authToken }),
  });
  const batch = client.batch.bind(client);
  // Drizzle asks for a deferred transaction, which can fail when it turns into a writing one.
  client.batch = (statements, mode) => batch(statements, mode ?? (statements.every(isReading) ? 'read' : 'write'));
  return wrap('remote', client, null);
}

function wrap(kind: Database['kind'], client: Client, handle: Libsql.Database | null): Database {
  const database = drizzle({ client });
  return {
    kind,
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
    close: () => client.close(),
  };
}
