import { and, eq, getTableColumns, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { lastUses } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import type { Context } from '@/lib/operation/context';
import { type ListDeclaration, type ListQuery, list, NEVER, timeOf } from '@/lib/operation/list';
import type { Millis } from '@/lib/units';

/** A query whose condition, order and length are still open. */
interface OpenQuery<Stored> {
  where(condition: SQL | undefined): { orderBy(...order: SQL[]): { limit(rows: number): PromiseLike<Stored[]> } };
}

interface StoredList<Query extends ListQuery, Stored, Row> extends Omit<ListDeclaration<Query, NoInfer<Row>>, 'read'> {
  query(drizzle: Database['drizzle']): OpenQuery<Stored>;
  /** The items of the answer for the rows that were found. */
  present(rows: Stored[], context: Context): readonly Row[] | Promise<readonly Row[]>;
}

/** A list that one query reads. */
export function storedList<Query extends ListQuery, Stored, Row>(declaration: StoredList<Query, Stored, Row>) {
  const { query, present, ...others } = declaration;
  return list<Query, Row>({
    ...others,
    async read(context, { where, orderBy, limit }) {
      const open = query(context.services.database.drizzle).where(where);
      return present(await open.orderBy(...orderBy).limit(limit), context);
    },
  });
}

type Items<Name extends string> = { readonly [Member in Name]: string | number | null };

/** A sorting by a column that items hold as `name`. @param absent in place of null, where the column may be null */
function sortingBy<Name extends string>(name: Name, column: AnySQLiteColumn, absent?: string | number) {
  return {
    sql: absent === undefined ? sql`${column}` : sql`coalesce(${column}, ${absent})`,
    of: (item: Items<Name>) => {
      const value = item[name] ?? absent ?? 0;
      return typeof value === 'string' && column.dataType === 'number' ? timeOf(value) : value;
    },
  };
}

/**
 * Sortings by columns that items hold under the names that they have in the database. An expiry that is absent comes
 * last, any other absent value first.
 */
export function sortingsBy<Name extends string>(table: SQLiteTable, ...names: readonly Name[]) {
  const columns = Object.values<AnySQLiteColumn>(getTableColumns(table));
  return Object.fromEntries(
    names.flatMap((name) => {
      const column = columns.find((candidate) => candidate.name === name);
      if (column === undefined) return [];
      const absent = name === 'expires_at' ? NEVER : column.dataType === 'number' ? 0 : '';
      return [[name, sortingBy(name, column, column.notNull ? undefined : absent)] as const];
    }),
  );
}

/** Whether a text is part of one of the columns, in any letter case (of ASCII). */
export function contains(text: string | undefined, ...columns: readonly AnySQLiteColumn[]): SQL | undefined {
  if (text === undefined) return undefined;
  return or(...columns.map((column) => sql`instr(lower(coalesce(${column}, '')), lower(${text})) > 0`));
}

/** Whether the column has one of the values; undefined values are no condition. */
export function oneOf<Value extends string>(column: AnySQLiteColumn, values: readonly Value[] | undefined) {
  return values === undefined ? undefined : inArray(column, [...values]);
}

/** Whether something that may expire is active, expired or either. */
export function inStatus(expiresAt: AnySQLiteColumn, status: string, now: Millis): SQL | undefined {
  if (status === 'active') return or(isNull(expiresAt), gt(expiresAt, now));
  return status === 'expired' ? and(lte(expiresAt, now)) : undefined;
}

type Used = 'api_key' | 'override' | 'token' | 'member';

/** When each row of a query over one kind was used last, null for never. @param id column of that query */
export function lastUsed(kind: Used, id: AnySQLiteColumn): SQL<Millis | null> {
  return sql`(select ${lastUses.at} from ${lastUses} where ${lastUses.subject} = ${kind} || ':' || ${id})`;
}

/** The sorting by `lastUsed`, which items hold as `name`; what was never used comes first. */
export function lastUseSorting<Name extends string>(name: Name, kind: Used, id: AnySQLiteColumn) {
  const of = (item: { readonly [Member in Name]: string | null }) => timeOf(item[name]);
  return { [name]: { sql: sql`coalesce(${lastUsed(kind, id)}, 0)`, of } };
}

/** When one row of a kind was used last. */
export async function lastUse({ drizzle }: Database, kind: Used, id: string): Promise<Millis | null> {
  const same = eq(lastUses.subject, `${kind}:${id}`);
  const [use] = await drizzle.select().from(lastUses).where(same);
  return use?.at ?? null;
}
