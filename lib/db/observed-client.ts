import type { Client, InArgs, InStatement, Replicated, ResultSet, Transaction, TransactionMode } from '@libsql/client';
import { isReading } from '@/lib/db/embedded-client';

type AnyStatement = InStatement | [sql: string, args?: InArgs];

/** A call of the database: one statement, or several in one transaction. */
export interface DatabaseCall {
  operation: 'read' | 'write';
  /** SQL of the first statement, with placeholders for its parameters. */
  sql: string;
  statements: number;
}

/** Runs each call of a database, to measure or trace it. */
export type ObserveCall = <T>(call: DatabaseCall, run: () => Promise<T>) => Promise<T>;

const readSql = (statement: AnyStatement) =>
  typeof statement === 'string' ? statement : Array.isArray(statement) ? statement[0] : statement.sql;

/** A client whose calls go through `observe`. */
export class ObservedClient implements Client {
  constructor(
    private readonly client: Client,
    private readonly observe: ObserveCall,
  ) {}

  get protocol(): string {
    return this.client.protocol;
  }

  get closed(): boolean {
    return this.client.closed;
  }

  execute(statement: InStatement | string, args?: InArgs): Promise<ResultSet> {
    const run = () =>
      typeof statement === 'string' ? this.client.execute(statement, args) : this.client.execute(statement);
    return this.#run([statement], run);
  }

  batch(statements: AnyStatement[], mode?: TransactionMode): Promise<ResultSet[]> {
    return this.#run(statements, () => this.client.batch(statements, mode));
  }

  migrate(statements: InStatement[]): Promise<ResultSet[]> {
    return this.#run(statements, () => this.client.migrate(statements));
  }

  executeMultiple(sql: string): Promise<void> {
    return this.#run([sql], () => this.client.executeMultiple(sql));
  }

  transaction(mode?: TransactionMode): Promise<Transaction> {
    return this.client.transaction(mode);
  }

  sync(): Promise<Replicated> {
    return this.client.sync();
  }

  reconnect(): void {
    this.client.reconnect();
  }

  close(): void {
    this.client.close();
  }

  #run<T>(statements: readonly AnyStatement[], run: () => Promise<T>): Promise<T> {
    const [first = ''] = statements;
    const operation = statements.every(isReading) ? 'read' : 'write';
    return this.observe({ operation, sql: readSql(first), statements: statements.length }, run);
  }
}
