import type { Client, InStatement, InValue, ResultSet, Row, Value } from '@libsql/client';
import type LibsqlDatabase from 'libsql';
import { LRUCache } from 'lru-cache';
import { DatabaseUnavailable } from '@/lib/db/errors';
import { retryWhileBusy } from '@/lib/db/retry-while-busy';

type Handle = LibsqlDatabase.Database;
type Prepared = LibsqlDatabase.Statement;

export interface EmbeddedClientOptions {
  /** How long a call keeps trying while other processes hold the write lock, in milliseconds. */
  busyDeadline?: number;
  /** Monotonic, in milliseconds. */
  monotonic: () => number;
  wait: (milliseconds: number) => Promise<void>;
  random: () => number;
  /** Whether the open file is the one at its path. */
  isInPlace: () => boolean;
}

const READ_ONLY = /^\s*(select|pragma\s+\w+\s*;?\s*$|with\b(?![\s\S]*\b(insert|update|delete)\b))/i;

/** Whether a statement of a batch only reads. */
export function isReading(statement: InStatement | [sql: string, args?: unknown]): boolean {
  return READ_ONLY.test(
    typeof statement === 'string' ? statement : Array.isArray(statement) ? statement[0] : statement.sql,
  );
}

/**
 * The `Client` that Drizzle talks to, on top of `libsql`'s synchronous calls: one connection for the whole process,
 * shared with the counter store, so that the process never waits for itself. Each call runs to its end in one turn of
 * the event loop; only waiting for another process's lock is asynchronous. There are no interactive transactions: a
 * change is one `batch`, which is one immediate transaction, written through to the disk (`synchronous = full`), and
 * refused once the file is not the one at its path: it would vanish with the process.
 */
export class EmbeddedClient implements Client {
  readonly protocol = 'file';
  closed = false;
  readonly #statements: LRUCache<string, Prepared>;
  readonly #deadline: number;

  constructor(
    readonly handle: Handle,
    private readonly options: EmbeddedClientOptions,
  ) {
    this.#deadline = options.busyDeadline ?? 5_000;
    this.#statements = new LRUCache({ max: 256 });
  }

  execute(statement: InStatement | string, args?: unknown): Promise<ResultSet> {
    const normalised = typeof statement === 'string' ? { sql: statement, args: (args ?? []) as InValue[] } : statement;
    if (READ_ONLY.test(normalised.sql)) return this.#whenFree(() => this.#run(normalised));
    return this.#whenFree(() => this.#atomically(() => this.#run(normalised)));
  }

  batch(statements: readonly (InStatement | [string, unknown?])[]): Promise<ResultSet[]> {
    const run = () =>
      statements.map((statement) =>
        this.#run(
          Array.isArray(statement) ? { sql: statement[0], args: (statement[1] ?? []) as InValue[] } : statement,
        ),
      );
    if (statements.every(isReading)) return this.#whenFree(() => this.#inTransaction('begin', run));
    return this.#whenFree(() => this.#atomically(run));
  }

  migrate(statements: readonly InStatement[]): Promise<ResultSet[]> {
    return this.batch(statements);
  }

  executeMultiple(sql: string): Promise<void> {
    return this.#whenFree(() => {
      this.handle.exec(sql);
    });
  }

  transaction(): never {
    throw new Error('Interactive transactions would block the process on a file; use batch().');
  }

  sync(): never {
    throw new Error('An embedded database has nothing to synchronise with.');
  }

  reconnect(): void {}

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#statements.clear();
    try {
      // So that a copy of the file alone is whole.
      if (this.options.isInPlace()) this.handle.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // Nothing is lost: the next start reads the log.
    }
    this.handle.close();
  }

  #whenFree<T>(work: () => T): Promise<T> {
    const { monotonic, wait, random } = this.options;
    const start = monotonic();
    return retryWhileBusy(work, {
      wait,
      pause: () => 1 + random() * 9,
      isLast: () => monotonic() - start > this.#deadline,
    });
  }

  /** One immediate transaction that outlives a power cut once it has returned. */
  #atomically<T>(work: () => T): T {
    if (!this.options.isInPlace())
      throw new DatabaseUnavailable('The database file was deleted or replaced while it was open.');
    this.handle.exec('pragma synchronous = full');
    try {
      return this.#inTransaction('begin immediate', work);
    } finally {
      this.handle.exec('pragma synchronous = normal');
    }
  }

  #inTransaction<T>(begin: 'begin' | 'begin immediate', work: () => T): T {
    try {
      this.handle.exec(begin);
      const result = work();
      this.handle.exec('commit');
      return result;
    } catch (error) {
      // A closed handle must not be asked: it ends the process.
      if (this.handle.open && this.handle.inTransaction) this.handle.exec('rollback');
      throw error;
    }
  }

  #run(statement: InStatement): ResultSet {
    const { sql, args } = typeof statement === 'string' ? { sql: statement, args: [] } : statement;
    const prepared = this.#prepare(sql);
    const parameters = bind(args ?? []);
    if (!prepared.reader) {
      const { changes, lastInsertRowid } = prepared.run(parameters);
      return resultSet([], [], changes, BigInt(lastInsertRowid));
    }
    const columns = prepared.columns().map((column) => column.name);
    const values = prepared.raw(true).all(parameters) as Value[][];
    return resultSet(columns, values, READ_ONLY.test(sql) ? 0 : values.length, undefined);
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const prepared = this.handle.prepare(sql) as unknown as Prepared;
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

function bind(args: NonNullable<Exclude<InStatement, string>['args']>): unknown {
  const convert = (value: unknown) => {
    if (typeof value === 'boolean') return value ? 1 : 0;
    if (value instanceof Date) return value.valueOf();
    return value === undefined ? null : value;
  };
  if (Array.isArray(args)) return args.map(convert);
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, convert(value)]));
}

function resultSet(
  columns: string[],
  values: Value[][],
  rowsAffected: number,
  lastInsertRowid: bigint | undefined,
): ResultSet {
  const rows = values.map((cells) => {
    const row = Object.create(null) as Record<string | number, unknown>;
    Object.defineProperty(row, 'length', { value: cells.length });
    for (const [index, cell] of cells.entries()) {
      Object.defineProperty(row, index, { value: cell, writable: true, configurable: true });
      const column = columns[index];
      if (column !== undefined && !(column in row)) row[column] = cell;
    }
    return row as unknown as Row;
  });
  return {
    columns,
    columnTypes: columns.map(() => ''),
    rows,
    rowsAffected,
    lastInsertRowid,
    toJSON: () => ({ columns, rows: values, rowsAffected }),
  };
}
