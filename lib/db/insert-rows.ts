import { sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Database, Statement } from '@/lib/db/database';
import { splitInSteps } from '@/lib/split-in-steps';

/** Rows per statement. Large enough to be fast, small enough for a server's limit on one parameter. */
const CHUNK = 1_000;

/**
 * Builds statements that insert rows, in their order. Each statement takes a thousand rows as one JSON parameter, so
 * ten thousand rows are ten statements instead of three hundred thousand parameters.
 */
export function insertRows<T extends SQLiteTable>(
  database: Pick<Database, 'drizzle'>,
  table: T,
  rows: readonly T['$inferSelect'][],
): Statement[] {
  return insertChunks(database, table, rows, '');
}

/** Works like `insertRows`, and replaces rows whose `id` exists. */
export function putRows<T extends SQLiteTable & { id: unknown }>(
  database: Pick<Database, 'drizzle'>,
  table: T,
  rows: readonly T['$inferSelect'][],
): Statement[] {
  const columns = describeTable(table).columns.filter((name) => name !== 'id');
  const set = columns.map((name) => `"${name}" = excluded."${name}"`).join(', ');
  return insertChunks(database, table, rows, ` on conflict ("id") do update set ${set}`);
}

function insertChunks<T extends SQLiteTable>(
  { drizzle }: Pick<Database, 'drizzle'>,
  table: T,
  rows: readonly T['$inferSelect'][],
  onConflict: string,
): Statement[] {
  const { insert, members } = describeTable(table);
  // Without `where`, the parser would read ON as the condition of a join.
  const after = `) where true${onConflict}`;
  const statements: Statement[] = [];
  for (const some of splitInSteps(rows, CHUNK)) {
    const chunk = some.map((row) => members.map((member) => row[member] ?? null));
    statements.push(drizzle.run(sql`${sql.raw(insert)}${JSON.stringify(chunk)}${sql.raw(after)}`));
  }
  return statements;
}

interface Shape {
  /** SQL before the parameter. */
  insert: string;
  /** Names of the columns, and the names of the same fields in a row. */
  columns: string[];
  members: string[];
}

const shapes = new WeakMap<SQLiteTable, Shape>();

function describeTable(table: SQLiteTable): Shape {
  const cached = shapes.get(table);
  if (cached !== undefined) return cached;
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
