import type { Client, InArgs, InStatement, ResultSet } from '@libsql/client';
import { type Database, type Trial, wrap } from '@/lib/db/database';
import { type AnyStatement, isReading } from '@/lib/db/embedded-client';

/** A statement of a trial, with the words of its SQL, which include names of tables. */
interface Tried {
  statement: InStatement;
  /** The table that it writes. */
  table: string | undefined;
  words: ReadonlySet<string>;
}

/**
 * Creates a database on which changes are tried in sequence. Its readers see them, other readers do not, and nothing is
 * stored. Earlier writes are run again before each statement that depends on them, and rolled back.
 */
export function createTrial(database: Database): Database & { trial: Trial } {
  const client = new TrialClient(database);
  return { ...wrap({ ...database, client, early: client }), trial: client };
}

class TrialClient implements Client, Trial {
  readonly protocol = 'file';
  readonly closed = false;
  newest: Trial['newest'];
  isAside = false;
  readonly #tried: Tried[] = [];

  constructor(private readonly database: Database) {}

  mark(): () => void {
    const { newest } = this;
    const { length } = this.#tried;
    return () => {
      this.newest = newest;
      this.#tried.length = length;
    };
  }

  async execute(statement: InStatement | string, args?: InArgs): Promise<ResultSet> {
    const whole = typeof statement !== 'string' || args === undefined ? statement : { sql: statement, args };
    const [result] = await this.batch([whole]);
    if (result === undefined) throw new Error('The database left an answer out.');
    return result;
  }

  async batch(statements: readonly AnyStatement[]): Promise<ResultSet[]> {
    const parsed = statements.map(parseStatement);
    const written = parsed.filter(({ table }) => table !== undefined);
    const before = this.isAside ? [] : this.#listEarlierWrites(parsed);
    const plain = parsed.map(({ statement }) => statement);
    const isRun = before.length > 0 || written.length > 0;
    const results = isRun
      ? await this.database.runAndRollBack(before, plain)
      : await this.database.client.batch(plain, 'read');
    this.#tried.push(...written);
    return results;
  }

  migrate(): never {
    throw new Error('A trial keeps the tables as they are.');
  }

  executeMultiple(): never {
    throw new Error('A trial takes single statements.');
  }

  transaction(): never {
    throw new Error('A trial has no separate transactions; use batch().');
  }

  sync(): never {
    throw new Error('A trial has nothing to synchronise with.');
  }

  reconnect(): void {}

  close(): void {}

  /**
   * Returns the earlier writes that can affect these statements. No trigger and no foreign key writes another table.
   */
  #listEarlierWrites(parsed: readonly Tried[]): InStatement[] {
    const words = new Set(parsed.flatMap((statement) => [...statement.words]));
    const before: InStatement[] = [];
    for (const tried of this.#tried.toReversed()) {
      if (tried.table === undefined || !words.has(tried.table)) continue;
      before.push(tried.statement);
      for (const word of tried.words) words.add(word);
    }
    return before.toReversed();
  }
}

const WRITTEN =
  /^\s*(?:insert\s+(?:or\s+\w+\s+)?into|replace\s+into|update(?:\s+or\s+\w+)?|delete\s+from)\s+"?(\w+)"?/i;

function parseStatement(statement: AnyStatement): Tried {
  const whole: InStatement = Array.isArray(statement)
    ? { sql: statement[0], args: (statement[1] ?? []) as InArgs }
    : (statement as InStatement);
  const sql = typeof whole === 'string' ? whole : whole.sql;
  const table = WRITTEN.exec(sql)?.[1];
  if (table === undefined && !isReading(whole)) throw new Error(`A trial does not know what this writes: ${sql}`);
  return { statement: whole, table, words: new Set(sql.match(/\w+/g)) };
}
