import type { Client, InStatement, InValue, ResultSet, Value } from '@libsql/client';
import type LibsqlDatabase from 'libsql';
import { LRUCache } from 'lru-cache';
import { CellsResult, createRowMaker, NO_ROWS, type RowMaker } from '@/lib/db/cells-result';
import type { CheckpointThread } from '@/lib/db/checkpoint-thread';
import { DatabaseUnavailable } from '@/lib/db/errors';
import type { LogSync } from '@/lib/db/log-sync';
import { retryWhileBusy } from '@/lib/db/retry-while-busy';
import { SelectRows } from '@/lib/db/select-rows';

type Handle = LibsqlDatabase.Database;
type Prepared = LibsqlDatabase.Statement;

/** Time for which a call retries while other processes hold the write lock, in milliseconds. */
export const BUSY_DEADLINE = 5_000;

export interface EmbeddedClientOptions {
  /** Monotonic clock, in milliseconds. */
  monotonic: () => number;
  wait: (milliseconds: number) => Promise<void>;
  random: () => number;
  /** Returns whether the open file is the one at its path. */
  isInPlace: () => boolean;
  /** Makes commits durable. Null if the commit itself does. */
  log: LogSync | null;
  /** Copies the log into the file on a thread. Null if the connection does it. */
  checkpoints: CheckpointThread | null;
  /** If true, writes are answered once they are committed, before they are durable. */
  early?: boolean;
}

const SELECT = /^\s*(select|with)\b/i;
const READ_ONLY = /^\s*(select|pragma\s+\w+\s*;?\s*$|with\b(?![\s\S]*\b(insert|update|delete)\b))/i;

/** A statement in any of the client's notations. */
export type AnyStatement = InStatement | [sql: string, args?: unknown];

/** Returns SQL and parameters of a statement in any of the client's notations. */
function splitStatement(statement: AnyStatement): { sql: string; args: NonNullable<Parameters<typeof bind>[0]> } {
  if (typeof statement === 'string') return { sql: statement, args: [] };
  if (Array.isArray(statement)) return { sql: statement[0], args: (statement[1] ?? []) as InValue[] };
  return { sql: statement.sql, args: statement.args ?? [] };
}

export function isReading(statement: AnyStatement): boolean {
  return READ_ONLY.test(splitStatement(statement).sql);
}

/**
 * Implements Drizzle's `Client` with `libsql`'s synchronous calls. The whole process uses one connection, shared with
 * the counter store, so that the process never waits for its own lock.
 *
 * Each call runs to its end in one turn of the event loop. Only waiting for another process's lock is asynchronous.
 *
 * There are no interactive transactions. A change is one `batch`: one immediate transaction, which is written to the
 * disk before it is answered. It is refused if the file is no longer the one at its path, because the change would be
 * lost with the process.
 */
export class EmbeddedClient implements Client {
  readonly protocol = 'file';
  closed = false;
  readonly #statements = new LRUCache<string, Prepared | SelectRows>({ max: 256 });
  readonly #rowMakers = new LRUCache<string, { names: string; rowOf: RowMaker }>({ max: 256 });

  constructor(
    readonly handle: Handle,
    private readonly options: EmbeddedClientOptions,
  ) {}

  execute(statement: InStatement | string, args?: unknown): Promise<ResultSet> {
    const run = () => this.#run(typeof statement === 'string' ? [statement, args] : statement);
    return isReading(statement) ? this.#retryWhileBusy(run) : this.#write(run);
  }

  batch(statements: readonly AnyStatement[]): Promise<ResultSet[]> {
    const run = () => statements.map((statement) => this.#run(statement));
    if (!statements.every(isReading)) return this.#write(run);
    return this.#retryWhileBusy(() => this.#runTransaction('begin', run));
  }

  /** Implements `Database.runAndRollBack` in one turn of the event loop. */
  runAndRollBack(writes: readonly AnyStatement[], statements: readonly AnyStatement[]): Promise<ResultSet[]> {
    return this.#retryWhileBusy(() => {
      try {
        this.handle.exec('begin immediate');
        for (const write of writes) this.#run(write);
        return statements.map((statement) => this.#run(statement));
      } finally {
        if (this.handle.open && this.handle.inTransaction) this.handle.exec('rollback');
      }
    });
  }

  migrate(statements: readonly InStatement[]): Promise<ResultSet[]> {
    return this.batch(statements);
  }

  executeMultiple(sql: string): Promise<void> {
    return this.#retryWhileBusy(() => void this.handle.exec(sql));
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
    this.options.log?.close();
    this.options.checkpoints?.stop();
    try {
      // After a checkpoint, a copy of only this file is complete.
      if (this.options.isInPlace()) this.handle.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // Nothing is lost, because the next start reads the log.
    }
    this.handle.close();
  }

  async #write<T>(work: () => T): Promise<T> {
    const written = await this.#retryWhileBusy(() => this.#runAtomically(work));
    if (!this.options.early) await this.options.log?.waitUntilDurable();
    return written;
  }

  #retryWhileBusy<T>(work: () => T): Promise<T> {
    const { monotonic, wait, random } = this.options;
    const start = monotonic();
    return retryWhileBusy(work, {
      wait,
      pause: () => 1 + random() * 9,
      isLast: () => monotonic() - start > BUSY_DEADLINE,
    });
  }

  /** Runs one immediate transaction, which survives `kill -9` once this returns. */
  #runAtomically<T>(work: () => T): T {
    const { isInPlace, log } = this.options;
    if (!isInPlace()) throw new DatabaseUnavailable('The database file was deleted or replaced while it was open.');
    log?.requireWorking();
    return this.#runTransaction('begin immediate', work);
  }

  #runTransaction<T>(begin: 'begin' | 'begin immediate', work: () => T): T {
    try {
      this.handle.exec(begin);
      const result = work();
      this.handle.exec('commit');
      return result;
    } catch (error) {
      // Calling a closed handle crashes the process.
      if (this.handle.open && this.handle.inTransaction) this.handle.exec('rollback');
      throw error;
    }
  }

  #run(statement: AnyStatement): ResultSet {
    const { sql, args } = splitStatement(statement);
    const prepared = this.#prepare(sql);
    const parameters = bind(args);
    if (prepared instanceof SelectRows) {
      const columns = [...prepared.columns];
      return new CellsResult(columns, prepared.all(parameters), 0, undefined, this.#getRowMaker(sql, columns));
    }
    if (!prepared.reader) {
      const { changes, lastInsertRowid } = prepared.run(parameters);
      return new CellsResult([], [], changes, BigInt(lastInsertRowid), NO_ROWS);
    }
    const values = prepared.raw(true).all(parameters) as Value[][];
    const columns = prepared.columns().map((column) => column.name);
    return new CellsResult(
      columns,
      values,
      isReading(sql) ? 0 : values.length,
      undefined,
      this.#getRowMaker(sql, columns),
    );
  }

  /** Returns the row maker of a statement. All of its results share one, because their rows share a prototype. */
  #getRowMaker(sql: string, columns: readonly string[]): RowMaker {
    const names = columns.join('\n');
    const cached = this.#rowMakers.get(sql);
    if (cached?.names === names) return cached.rowOf;
    const rowOf = createRowMaker(columns);
    this.#rowMakers.set(sql, { names, rowOf });
    return rowOf;
  }

  #prepare(sql: string): Prepared | SelectRows {
    const cached = this.#statements.get(sql);
    if (cached !== undefined) return cached;
    const isSelect = SELECT.test(sql) && isReading(sql);
    const prepared = isSelect ? new SelectRows(this.handle, sql) : this.handle.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

function bind(args: NonNullable<Exclude<InStatement, string>['args']>): unknown[] | Record<string, unknown> {
  const convert = (value: unknown) => {
    if (typeof value === 'boolean') return value ? 1 : 0;
    if (value instanceof Date) return value.valueOf();
    return value === undefined ? null : value;
  };
  if (Array.isArray(args)) return args.map(convert);
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, convert(value)]));
}
