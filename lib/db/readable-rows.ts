import type { Client } from '@libsql/client';
import { Column, getTableName, inArray, is, SQL, sql } from 'drizzle-orm';
import { LibSQLDatabase } from 'drizzle-orm/libsql';
import { LibSQLSession } from 'drizzle-orm/libsql/session';
import { getTableConfig, SQLiteAsyncDialect, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { UnreadableRow } from '@/lib/db/errors';

/** Parses the content of a column, or throws. @param cellOf returns another selected cell of the row */
type ParseContent = (content: string, cellOf: (name: string) => unknown) => unknown;

/** How queries handle rows with values that Sluice never writes: after a flipped bit, or an edit by hand. */
export interface RowReading {
  /** Parsers of columns that hold JSON, by `table.column`. */
  readonly contents: Readonly<Record<string, ParseContent>>;
  /** Called for each row that is left out. @param row its primary key, as far as the query selects it */
  onUnreadable(table: string, row: string, error: unknown): void;
}

/** Checks no JSON and reports nothing. */
export const PLAIN_READING: RowReading = { contents: {}, onUnreadable: () => undefined };

/**
 * Tables whose rows restrict something: without its row, a member has no second factor, and a document has its
 * defaults. A query for only such a table throws instead of omitting the row.
 */
const RESTRICTING: ReadonlySet<string> = new Set([
  ...['settings', 'kept_settings', 'kept_members', 'second_factors', 'provider_accounts', 'idempotency'],
]);

const MOST = Number.MAX_SAFE_INTEGER;

/** Least and highest numbers of columns, by `table.column`. All others hold times and counts, from 0. */
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  'api_keys.month_shift': [-9, 9],
  'api_keys.month_starts_on': [1, 31],
  'decisions.count': [1, MOST],
  'overrides.window_seconds': [1, 90 * 86_400],
};

type Session = LibSQLSession<Record<string, never>, Record<string, never>>;
type Prepare = Session['prepareQuery'];
type Cells = ArrayLike<unknown>;

/** Creates Drizzle's database on a client. Its queries leave out rows that cannot be read. */
export function createDrizzle(client: Client, reading: RowReading): LibSQLDatabase {
  const dialect = new SQLiteAsyncDialect();
  return new LibSQLDatabase('async', dialect, new ReadingSession(client, dialect, reading), undefined);
}

/**
 * Drizzle documents no hook that sees a row before it is mapped. So this overrides two methods of its prepared queries,
 * which `tests/unit/db/drizzle-mappers.test.ts` pins.
 */
class ReadingSession extends LibSQLSession<Record<string, never>, Record<string, never>> {
  constructor(
    client: Client,
    dialect: SQLiteAsyncDialect,
    private readonly reading: RowReading,
  ) {
    super(client, dialect, undefined, {}, undefined);
  }

  override prepareQuery<T extends object>(...query: Parameters<Prepare>) {
    const prepared = super.prepareQuery<T & never>(...query);
    const fields = query[1]?.map(({ field }) => findColumn(field)) ?? [];
    if (fields.length === 0) return prepared;
    const [mapAll, mapOne] = [prepared.mapAllResult.bind(prepared), prepared.mapGetResult.bind(prepared)];
    const [, from = 'unknown'] = /\bfrom "(\w+)"/.exec(query[0].sql) ?? [];
    const reader = new RowReader(fields, from, prepared, this.reading);
    prepared.mapAllResult = (result, isFromBatch) => {
      const rows = getCellRows(result, isFromBatch);
      const readable = rows.filter((row) => reader.isReadable(row));
      const mapped = mapAll(readable);
      const leftOut = rows.length - readable.length;
      if (leftOut > 0) Object.defineProperty(mapped, LEFT_OUT, { value: leftOut });
      return mapped;
    };
    prepared.mapGetResult = (result, isFromBatch) =>
      mapOne(getCellRows(result, isFromBatch).filter((row) => reader.isReadable(row)));
    return prepared;
  }
}

function getCellRows(result: unknown, isFromBatch: boolean | undefined): readonly Cells[] {
  return (isFromBatch ? (result as { rows: unknown }).rows : result) as readonly Cells[];
}

/** Name of the hidden number of rows that a result lacks. All bundles share it. */
const LEFT_OUT = Symbol.for('sluice.left-out');

/** Returns how many rows a query left out of its result because they cannot be read. */
export function countOmittedRows(rows: readonly unknown[]): number {
  return LEFT_OUT in rows ? Number(rows[LEFT_OUT]) : 0;
}

/**
 * Reads the first rows of a query that can be read. Returns fewer than `limit` only if there are no more.
 * @param read runs the query with a limit
 */
export async function readUpTo<Row>(limit: number, read: (limit: number) => PromiseLike<Row[]>): Promise<Row[]> {
  for (let most = limit; ; most *= 2) {
    const rows = await read(most);
    if (rows.length >= limit || rows.length + countOmittedRows(rows) < most) return rows.slice(0, limit);
  }
}

/** Returns the column that a selected field reads or is decoded by. Null for other expressions. */
function findColumn(field: unknown): SelectedColumn | null {
  if (is(field, Column)) return { column: field, isNullable: !field.notNull };
  const expression = is(field, SQL.Aliased) ? field.sql : field;
  const decoder = is(expression, SQL) ? (expression as SQL & { decoder: unknown }).decoder : null;
  return is(decoder, Column) ? { column: decoder, isNullable: true } : null;
}

interface SelectedColumn {
  column: Column;
  isNullable: boolean;
}

/** Checks the rows of one query. */
class RowReader {
  readonly #tables: readonly string[];

  constructor(
    private readonly fields: readonly (SelectedColumn | null)[],
    /** The first table of the query. */
    private readonly from: string,
    /** Drizzle adds to it which tables a join may lack. */
    private readonly prepared: object,
    private readonly reading: RowReading,
  ) {
    this.#tables = [...new Set(fields.flatMap((field) => (field === null ? [] : getTableName(field.column.table))))];
  }

  /** @throws UnreadableRow if the query reads only a restricting table */
  isReadable(cells: Cells): boolean {
    for (const [index, field] of this.fields.entries()) {
      const error = field === null ? findBytes(cells[index]) : this.#findError(field, cells, index);
      if (error === null) continue;
      const table = field === null ? this.from : getTableName(field.column.table);
      const row = this.#identify(table, cells);
      this.reading.onUnreadable(table, row, error);
      if (this.#tables.length === 1 && RESTRICTING.has(table)) throw new UnreadableRow(table, row, { cause: error });
      return false;
    }
    return true;
  }

  #findError({ column, isNullable }: SelectedColumn, cells: Cells, index: number): Error | null {
    const value = cells[index];
    const table = getTableName(column.table);
    const name = `${table}.${column.name}`;
    if (value === null) return isNullable || this.#isOptional(table) ? null : new Error(`${name} is null`);
    if (!isOfColumn(column, value))
      return new Error(`${name} holds no ${column.enumValues ? 'allowed value' : column.dataType}`);
    const parse = this.reading.contents[name];
    if (parse === undefined || typeof value !== 'string') return null;
    try {
      parse(value, (other) => cells[this.#findIndex(table, other)]);
      return null;
    } catch (cause) {
      return new Error(`${name} cannot be parsed`, { cause });
    }
  }

  /** Returns whether an outer join may have no row of a table. */
  #isOptional(table: string): boolean {
    const { joinsNotNullableMap: joins = {} } = this.prepared as { joinsNotNullableMap?: Record<string, boolean> };
    return joins[table] === false;
  }

  #findIndex(table: string, name: string): number {
    return this.fields.findIndex((field) => field?.column.name === name && getTableName(field.column.table) === table);
  }

  /** Returns the primary key of a row, as far as it is selected. */
  #identify(table: string, cells: Cells): string {
    const keys = this.fields.flatMap((field, index) =>
      field !== null && getTableName(field.column.table) === table && isKey(field.column) ? String(cells[index]) : [],
    );
    return keys.length === 0 ? 'unknown' : keys.join(' ');
  }
}

/** Finds a text that is not UTF-8 in the cell of an expression. No expression has bytes otherwise. */
function findBytes(cell: unknown): Error | null {
  return cell instanceof Uint8Array ? new Error('A text is not UTF-8') : null;
}

/** Returns whether a column is part of the primary key. */
function isKey(column: Column): boolean {
  if (column.primary) return true;
  return getTableConfig(column.table as SQLiteTable).primaryKeys.some(({ columns }) =>
    columns.some(({ name }) => name === column.name),
  );
}

/** Returns whether a cell holds what its column may hold. */
function isOfColumn(column: Column, value: unknown): boolean {
  const { dataType, enumValues } = column;
  if (dataType === 'number') {
    const [least, most] = findRange(column);
    return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
  }
  if (dataType === 'boolean') return value === 0 || value === 1;
  if (dataType === 'string') return typeof value === 'string' && (enumValues?.includes(value) ?? true);
  return value instanceof ArrayBuffer || value instanceof Uint8Array;
}

const findRange = (column: Column) => RANGES[`${getTableName(column.table)}.${column.name}`] ?? [0, MOST];

/**
 * Finds a member of a row that its column cannot hold. Null if there is none.
 */
export function findDamage(
  columns: readonly (readonly [member: string, column: Column])[],
  row: object,
  contents: RowReading['contents'],
): unknown {
  for (const [name, column] of columns) {
    const value: unknown = (row as Record<string, unknown>)[name];
    const stored = typeof value === 'boolean' ? Number(value) : value;
    if (value === null ? column.notNull : !isOfColumn(column, stored)) return new Error(`${column.name} is damaged`);
    const parse = value === null ? undefined : contents[`${getTableName(column.table)}.${column.name}`];
    try {
      parse?.(String(value), (other) => (row as Record<string, unknown>)[other]);
    } catch (error) {
      return error;
    }
  }
  return null;
}

/** Matches rows whose columns hold what they may hold. For queries that add up rows instead of reading them. */
export function isReadable(...columns: readonly Column[]): SQL {
  return sql.join(
    columns.map((column) => {
      const holds = hasReadableType(column);
      return column.notNull ? holds : sql`(${column} is null or ${holds})`;
    }),
    sql` and `,
  );
}

/** The unary plus keeps SQLite from searching an index by it: nearly every row matches. */
function hasReadableType(column: Column): SQL {
  const { dataType, enumValues } = column;
  if (dataType === 'string') {
    const isText = sql`typeof(${column}) = 'text'`;
    return enumValues === undefined || enumValues.length === 0 ? isText : inArray(sql`+${column}`, [...enumValues]);
  }
  const [least, most] = dataType === 'boolean' ? [0, 1] : findRange(column);
  return sql`(typeof(${column}) = 'integer' and +${column} between ${sql.raw(`${least} and ${most}`)})`;
}
