import { and, eq, getTableColumns, gt, inArray, isNull, lte, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { buildIdentifierOrder, IDENTIFIER_ORDER } from '@/drizzle/identifier-order';
import { lastUses } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import { isReadable, readUpTo } from '@/lib/db/readable-rows';
import type { Context } from '@/lib/operation/context';
import { type ListDeclaration, type ListQuery, list, NEVER, parseSortTime } from '@/lib/operation/list';
import type { Millis } from '@/lib/units';

/** A query that still lacks its condition, order and limit. */
interface OpenQuery<Stored> {
  where(
    condition: SQL | undefined,
  ): SQLWrapper & { orderBy(...order: SQL[]): { limit(rows: number): PromiseLike<Stored[]> } };
}

interface StoredList<Query extends ListQuery, Stored, Row>
  extends Omit<ListDeclaration<Query, NoInfer<Row>>, 'read' | 'count'> {
  query(drizzle: Database['drizzle']): OpenQuery<Stored>;
  /** Converts rows to the items of the answer. */
  present(rows: Stored[], context: Context): readonly Row[] | Promise<readonly Row[]>;
}

/** Builds a list that one query reads. */
export function createStoredList<Query extends ListQuery, Stored, Row>(declaration: StoredList<Query, Stored, Row>) {
  const { query, present, ...others } = declaration;
  return list<Query, Row>({
    ...others,
    async read(context, { where, orderBy, limit }) {
      const { drizzle } = context.services.database;
      const rows = await readUpTo(limit, (most) =>
        query(drizzle)
          .where(where)
          .orderBy(...orderBy)
          .limit(most),
      );
      return present(rows, context);
    },
    count: ({ services }, where) => services.database.drizzle.$count(query(services.database.drizzle).where(where)),
  });
}

type Items<Name extends string> = { readonly [Member in Name]: string | number | null };

/** Builds a sorting by a column, whose items hold it as `name`. @param absent replaces null in a nullable column */
function buildSorting<Name extends string>(name: Name, column: AnySQLiteColumn, absent?: string | number) {
  return {
    sql: absent === undefined ? sql`${column}` : sql`coalesce(${column}, ${absent})`,
    of: (item: Items<Name>) => {
      const value = item[name] ?? absent ?? 0;
      return typeof value === 'string' && column.dataType === 'number' ? parseSortTime(value) : value;
    },
  };
}

/**
 * Builds sortings by columns whose items use the database names.
 * A missing expiry sorts last. Other missing values sort first.
 */
export function buildSortings<Name extends string>(table: SQLiteTable, ...names: readonly Name[]) {
  const columns = Object.values<AnySQLiteColumn>(getTableColumns(table));
  return Object.fromEntries(
    names.flatMap((name) => {
      const column = columns.find((candidate) => candidate.name === name);
      if (column === undefined) return [];
      const absent = name === 'expires_at' ? NEVER : column.dataType === 'number' ? 0 : '';
      return [[name, buildSorting(name, column, column.notNull ? undefined : absent)] as const];
    }),
  );
}

/** Sorts a list by its columns `type` and `identifier`, in natural order. */
export const IDENTIFIER_SORTING = { sql: sql.raw(IDENTIFIER_ORDER), of: buildIdentifierOrder };

/** Matches rows in which a column contains a text. Ignores the case of ASCII letters. */
export function matchText(text: string | undefined, ...columns: readonly AnySQLiteColumn[]): SQL | undefined {
  if (text === undefined) return undefined;
  return or(...columns.map((column) => sql`instr(lower(coalesce(${column}, '')), lower(${text})) > 0`));
}

/** Matches rows whose column has one of the values. Undefined values match all rows. */
export function matchValues<Value extends string>(column: AnySQLiteColumn, values: readonly Value[] | undefined) {
  return values === undefined ? undefined : inArray(column, [...values]);
}

/** Matches rows by expiry: active, expired, or both. */
export function matchStatus(expiresAt: AnySQLiteColumn, status: string, now: Millis): SQL | undefined {
  if (status === 'active') return or(isNull(expiresAt), gt(expiresAt, now));
  return status === 'expired' ? and(lte(expiresAt, now)) : undefined;
}

type Used = 'allowlist' | 'api_key' | 'override' | 'token' | 'member';

/** Selects the time of last use of each row. Null if it was never used. @param id column of the query */
export function selectLastUse(kind: Used, id: AnySQLiteColumn): SQL<Millis | null> {
  return sql`(select ${lastUses.at} from ${lastUses} 
    where ${lastUses.subject} = ${kind} || ':' || ${id} and ${isReadable(lastUses.at)})`;
}

/** Builds the sorting by last use, which items hold as `name`. Rows that were never used come first. */
export function buildLastUseSorting<Name extends string>(name: Name, kind: Used, id: AnySQLiteColumn) {
  const readTime = (item: { readonly [Member in Name]: string | null }) => parseSortTime(item[name]);
  return { [name]: { sql: sql`coalesce(${selectLastUse(kind, id)}, 0)`, of: readTime } };
}

/** Reads the time of last use of one row. Null if it was never used. */
export async function readLastUse({ drizzle }: Database, kind: Used, id: string): Promise<Millis | null> {
  const same = eq(lastUses.subject, `${kind}:${id}`);
  const [use] = await drizzle.select().from(lastUses).where(same);
  return use?.at ?? null;
}
