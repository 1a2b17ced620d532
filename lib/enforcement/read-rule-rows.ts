import type { InStatement, InValue, ResultSet } from '@libsql/client';
import { and, eq, type GetColumnData, getTableColumns, gt, isNull, or, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { allowlist, apiKeys, audit, grants, overrides, settings } from '@/drizzle/schema';
import { getCells } from '@/lib/db/cells-result';
import { type Database, readOnce } from '@/lib/db/database';
import { newestRevisionQuery, recordHash } from '@/lib/db/newest-revision';

/** Rows of a table per answer. A libSQL server refuses to send more than 10 MB at once. */
const PAGE = 2_000;
/** Most answers of one read. More mean that something is wrong. */
const MOST_ANSWERS = 10_000;
/** Most answers of a lagging replica before the read fails. */
const MOST_BEHIND = 200;

type Columns = Record<'id' | 'revision', SQLiteColumn> & Record<string, SQLiteColumn>;
type RowOf<C extends Columns> = { [Name in keyof C]: GetColumnData<C[Name]> };

/** Columns to read from each table. */
interface RuleColumns<A extends Columns, O extends Columns, K extends Columns, G extends Columns> {
  allowed: A;
  overridden: O;
  keys: K;
  granted: G;
}

export const ALL_COLUMNS = {
  allowed: getTableColumns(allowlist),
  overridden: getTableColumns(overrides),
  keys: getTableColumns(apiKeys),
  granted: getTableColumns(grants),
};

/** Creates a function that makes rows of cells in the order of the columns. Equal words share one string. */
function createDecoder<C extends Columns>(columns: C): (cells: readonly unknown[]) => RowOf<C> {
  const decoders = Object.entries(columns).map(([name, column]) => {
    const words = column.enumValues === undefined ? undefined : new Map(column.enumValues.map((word) => [word, word]));
    const decode = (cell: unknown) =>
      (typeof cell === 'string' ? words?.get(cell) : undefined) ?? column.mapFromDriverValue(cell);
    return [name, decode] as const;
  });
  // All rows are copies of this one, so that they share one hidden class in V8.
  const blank: Record<string, unknown> = Object.fromEntries(decoders.map(([name]) => [name, null]));
  return (cells) => {
    const row = { ...blank };
    let index = 0;
    for (const [name, decode] of decoders) {
      const cell = cells[index++];
      if (cell !== null) row[name] = decode(cell);
    }
    return row as RowOf<C>;
  };
}

/** The rows of a table. A server sends them in pages, in the order of their revisions. */
class Pages<C extends Columns> {
  #rows: RowOf<C>[] = [];
  #last: { id: unknown; revision: unknown } | undefined;
  #pages = 0;
  /** True if the answer holds JSON, and the texts that are not parsed yet. */
  #isText = false;
  #texts: string[] = [];

  constructor(
    private readonly table: SQLiteTable,
    private readonly columns: C,
    /** Column with the time when a row was removed. */
    private readonly removedAt: SQLiteColumn,
  ) {}

  /**
   * Builds the query of one page. All rows of an embedded file come as JSON, many per text, because its driver hands
   * over each cell by a call.
   * @param begun revision when the reading of pages began; undefined for the first page; null if all rows come at once
   */
  buildQuery({ drizzle }: Database, since: number, begun: number | undefined | null) {
    const { id, revision } = this.columns;
    // The first read needs existing rows, and rows that are removed during the read. Later reads need all removals.
    const present = begun == null ? isNull(this.removedAt) : or(isNull(this.removedAt), gt(revision, begun));
    const rest = this.#last && sql`(${revision}, ${id}) > (${this.#last.revision}, ${this.#last.id})`;
    const those = and(since === 0 ? present : gt(revision, since), rest);
    this.#isText = begun === null && since === 0;
    if (this.#isText) {
      // JSON holds no bytes, and the driver ends the process where a text is no UTF-8: a list in the place of one cell says
      // that it cannot be read, and all of them are handed over as bytes.
      const cells = Object.values(this.columns).map(
        (column) => sql`case typeof(${column}) when 'blob' then json('[]') else ${column} end`,
      );
      const rows = sql<ArrayBuffer>`cast(json_group_array(json_array(${sql.join(cells, sql`, `)})) as blob)`;
      return drizzle
        .select({ rows })
        .from(this.table)
        .where(those)
        .groupBy(sql.raw(`rowid / ${PAGE}`))
        .toSQL();
    }
    const rows = drizzle.select(this.columns).from(this.table).where(those).$dynamic();
    return (begun === null ? rows : rows.orderBy(revision, id).limit(PAGE)).toSQL();
  }

  /**
   * Returns the rows. Can be called only once. A row that changed during the read appears twice, and the last version
   * counts.
   */
  get rows(): Iterable<RowOf<C>> {
    if (this.#isText) return this.#parseRows();
    return this.#pages < 2 ? this.#rows : [...new Map(this.#rows.map((row) => [row.id, row])).values()];
  }

  /** Parses each text only when its rows are needed, so that memory never holds all rows at once. */
  *#parseRows(): Iterable<RowOf<C>> {
    const decode = createDecoder(this.columns);
    for (let text = this.#texts.pop(); text !== undefined; text = this.#texts.pop()) {
      for (const cells of JSON.parse(text)) yield decode(cells);
    }
  }

  /** @returns whether the page is full */
  add(answer: readonly (readonly unknown[])[]): boolean {
    if (this.#isText) {
      this.#texts = answer.map(([bytes]) => new TextDecoder().decode(bytes as ArrayBuffer));
      return false;
    }
    const decode = createDecoder(this.columns);
    for (const cells of answer) this.#rows.push(decode(cells));
    this.#last = this.#rows.at(-1) ?? this.#last;
    this.#pages += 1;
    return answer.length === PAGE;
  }
}

/** Lists the statements of one read. @param pages queries of the pages */
function listStatements(
  database: Database,
  since: number,
  pages: readonly { sql: string; params: unknown[] }[],
): InStatement[] {
  const { drizzle } = database;
  const queries = [
    newestRevisionQuery(database).getQuery(),
    drizzle.select({ hash: recordHash }).from(audit).where(eq(audit.seq, since)).toSQL(),
    drizzle
      .select({ name: settings.name, value: settings.value })
      .from(settings)
      .where(gt(settings.revision, since))
      .toSQL(),
    ...pages,
  ];
  return queries.map(({ sql, params }) => ({ sql, args: params as InValue[] }));
}

function createPages<A extends Columns, O extends Columns, K extends Columns, G extends Columns>(
  columns: RuleColumns<A, O, K, G>,
) {
  return {
    allowed: new Pages(allowlist, columns.allowed, allowlist.removedAt),
    overridden: new Pages(overrides, columns.overridden, overrides.removedAt),
    keys: new Pages(apiKeys, columns.keys, apiKeys.revokedAt),
    granted: new Pages(grants, columns.granted, grants.removedAt),
  };
}

/** Lists the statements whose results `readRuleRows` takes as the first answer of a server, since revision 0. */
export function listFirstStatements(
  database: Database,
  columns: RuleColumns<Columns, Columns, Columns, Columns>,
): InStatement[] {
  const pages = Object.values(createPages(columns)).map((table) => table.buildQuery(database, 0, undefined));
  return listStatements(database, 0, pages);
}

/** Returns the newest revision in the results of `listFirstStatements`. */
export function findNewestRevision([newest]: readonly ResultSet[]): number {
  return newest === undefined ? 0 : Number(getCells(newest)[0]?.[0] ?? 0);
}

/**
 * Reads all rows of the rules with a higher revision, as of one point in time. Since revision 0, removed rows are left
 * out.
 *
 * An embedded file returns all rows at once. A server returns them page by page, in the order of their revisions. A row
 * that changes during the read gets a higher revision and comes again. When no page is full, all rows are as of that
 * answer.
 * @param first results of `listFirstStatements`, if they were read already
 */
export async function readRuleRows<A extends Columns, O extends Columns, K extends Columns, G extends Columns>(
  database: Database,
  since: number,
  columns: RuleColumns<A, O, K, G>,
  first?: readonly ResultSet[],
) {
  const { allowed, overridden, keys, granted } = createPages(columns);
  const tables = [allowed, overridden, keys, granted];
  const isPaged = database.kind === 'remote';
  let begun: number | undefined;
  let latest = 0;
  let behind = 0;
  for (let answers = 0; answers < MOST_ANSWERS; answers += 1) {
    const pageQueries = tables.map((table) => table.buildQuery(database, since, isPaged ? begun : null));
    const read = () => database.client.batch(listStatements(database, since, pageQueries));
    const preloaded = answers === 0 ? first : undefined;
    const results = preloaded ?? (await (since === 0 ? readOnce(database, read) : read()));
    const [[head] = [], [before] = [], documents = [], ...pages] = results.map(getCells);
    const newest = { seq: Number(head?.[0] ?? 0), hash: head === undefined ? null : String(head[1]) };
    begun ??= newest.seq;
    const full = tables.map((table, i) => table.add(pages[i] ?? []));
    if (isPaged) {
      // A lagging replica may answer with fewer rows than an earlier answer. Missing rows prove nothing, because a row
      // may be damaged.
      const isBehind = newest.seq < latest;
      latest = Math.max(latest, newest.seq);
      if (isBehind && ++behind >= MOST_BEHIND) throw new Error('The newest audit record is older than it was.');
      if (isBehind || full.includes(true)) continue;
    }
    return {
      newest,
      /** The hash of the record with the number `since`. */
      hashBefore: before === undefined ? null : String(before[0]),
      documents: documents.map(([name, value]) => ({ name: String(name), value: String(value) })),
      ...{ allowed: allowed.rows, overridden: overridden.rows, keys: keys.rows, granted: granted.rows },
    };
  }
  throw new Error('The rules in the database do not come to an end.');
}
