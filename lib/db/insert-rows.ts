import { sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Database, Statement } from '@/lib/db/database';

/** Rows in one statement: enough to be quick, few enough for a server's limit on one parameter. */
const CHUNK = 1_000;

/**
 * Statements that insert rows, in their order: one for a thousand, with the rows as one parameter in JSON, so that ten
 * thousand rows are ten statements and not three hundred thousand parameters.
 */
export function insertRows<T extends SQLiteTable>(
  database: Pick<Database, 'drizzle'>,
  table: T,
  rows: readonly T['$inferSelect'][],
): Statement[] {
  return inChunks(database, table, rows, '');
}

/** As `insertRows`; a row whose `id` is there already is replaced. */
export function putRows<T extends SQLiteTable & { id: unknown }>(
  database: Pick<Database, 'drizzle'>,
  table: T,
  rows: readonly T['$inferSelect'][],
): Statement[] {
  const columns = shapeOf(table).columns.filter((name) => name !== 'id');
  const set = columns.map((name) => `"${name}" = excluded."${name}"`).join(', ');
  return inChunks(database, table, rows, ` on conflict ("id") do update set ${set}`);
}

function inChunks<T extends SQLiteTable>(
  { drizzle }: Pick<Database, 'drizzle'>,
  table: T,
  rows: readonly T['$inferSelect'][],
  onConflict: string,
): Statement[] {
  const { insert, members } = shapeOf(table);
  // Without `where`, the parser would take ON for the condition of a join.
  const after = `) where true${onConflict}`;
  const statements: Statement[] = [];
  for (let start = 0; start < rows.length; start += CHUNK) {
    const chunk = rows.slice(start, start + CHUNK).map((row) => members.map((member) => row[member] ?? null));
    statements.push(drizzle.run(sql`${sql.raw(insert)}${JSON.stringify(chunk)}${sql.raw(after)}`));
  }
  return statements;
}

interface Shape {
  /** Up to the parameter. */
  insert: string;
  /** The names of the columns, and what a row calls them. */
  columns: string[];
  members: string[];
}

const shapes = new WeakMap<SQLiteTable, Shape>();

function shapeOf(table: SQLiteTable): Shape {
  const known = shapes.get(table);
  if (known !== undefined) return known;
  const { name, columns: own } = getTableConfig(table);
  const entries = Object.entries(table).filter(([, column]) => own.includes(column));
  const columns = entries.map(([, column]) => column.name);
  const names = columns.map((column) => `"${column}"`).join(', ');
  const values = columns.map((_, index) => `value ->> ${index}`).join(', ');
  const insert = `insert into "${name}" (${names}) select ${values} from json_each(`;
  const shape = { insert, columns, members: entries.map(([member]) => member) };
  shapes.set(table, shape);
  return shape;
}
