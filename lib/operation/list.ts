import { and, asc, desc, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import {
  buildNextLink,
  type Column,
  type CsvValue,
  decodeCursor,
  encodeCursor,
  type Pages,
  streamDownload,
  streamJsonArray,
} from '@/lib/http/paged-response';
import type { Context } from '@/lib/operation/context';
import { EXACT_COUNT, shouldCountTotal } from '@/lib/operation/exact-count';
import { FirstRows, type Position } from '@/lib/operation/first-rows';
import { Reply } from '@/lib/operation/operation';
import { takeTurn } from '@/lib/take-turn';

/** Sort value of "never". It sorts after every time. */
export const NEVER = Number.MAX_SAFE_INTEGER;

const DEFAULT_LIMIT = 100;
/** Rows read in one turn of the event loop. Enough to be fast, few enough not to block others. */
const CHUNK = 500;

/** The value that orders rows. It is never null, so that all rows compare. */
interface Sorting<Row> {
  /** Absent if the database does not hold the value. Then all matching rows are read and sorted in memory. */
  sql?: SQL;
  of: (row: Row) => string | number;
}

export interface ListQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
  sort?: string | undefined;
  format?: 'json' | 'csv' | 'jsonl' | undefined;
}

/** Returns the sort value of a time in an answer, in milliseconds. @param absent sort value of null */
export function parseSortTime(timestamp: string | null, absent = 0): number {
  return timestamp === null ? absent : Date.parse(timestamp);
}

/** Creates CSV columns from members of the items. */
export function createColumns<Name extends string>(...names: readonly Name[]) {
  return names.map((name) => [name, (item: { readonly [N in Name]: CsvValue }) => item[name]] as const);
}

/** A query for rows: filter, order and position. */
interface RowQuery {
  where: SQL | undefined;
  orderBy: SQL[];
  limit: number;
}

/** Declaration of a list that the server filters, sorts, pages and exports. */
export interface ListDeclaration<Query extends ListQuery, Row, Item = Row> {
  /** Reads rows, with the values that they are filtered and sorted by. */
  read(context: Context, rows: RowQuery, query: Query): Promise<readonly Row[]>;
  /** Returns all rows of the query from memory, without the filter of `keep`. Returns null if `read` must be used. */
  readCached?(context: Context, query: Query): Promise<readonly Row[] | null>;
  /** Counts the rows of a query. Absent if they must be read. */
  count?(context: Context, where: SQL | undefined, query: Query): Promise<number>;
  /** Converts the rows of a page to items, in the same order. Absent if rows are items. */
  complete?(context: Context, rows: readonly Row[]): Promise<readonly Item[]>;
  /** Sortings, by the names that `sort` takes. */
  sortings?: Readonly<Record<string, Sorting<Row>>>;
  /** Distinguishes rows that compare equal. It is the whole order if `sort` names no sorting. */
  id: Required<Sorting<Row>>;
  /** Order of downloads, which an index serves, and of lists without `sort`. A minus means descending. */
  order: string;
  where(query: Query, now: number): SQL | undefined;
  /** Returns a filter by values that the database does not hold, or undefined if the query has no such filter. */
  keep?(query: Query, now: number): ((row: Row) => boolean) | undefined;
  /** File name without extension, and the columns of a CSV. Absent if the list cannot be downloaded. */
  download?: { name: string; columns: readonly Column<NoInfer<Item>>[] };
  /** Rows per page. With `all`, an answer without `limit` and `cursor` holds everything. */
  defaultLimit?: number | 'all';
  /** Rows read in one turn of the event loop. Smaller if each row costs a look-up in the counters. */
  chunk?: number;
}

/**
 * Implements the contract of a list: as a page, as the whole list, or as a download that is streamed in chunks.
 *
 * Pages are found by position ("keyset"): the values of the last row. A page therefore costs the same at any depth, and
 * rows that are added concurrently do not move others between pages.
 * @throws ApiError invalid_request if the cursor is of another list or order
 */
export function list<Query extends ListQuery, Row, Item = Row>(declaration: ListDeclaration<Query, Row, Item>) {
  const { download, defaultLimit = DEFAULT_LIMIT, chunk = CHUNK } = declaration;
  return async (context: Context, { query }: { query: Query }) => {
    const format = download === undefined ? 'json' : listFormat(context.facts.headers.get('accept'), query.format);
    const order = createOrder(declaration, format === 'json' ? (query.sort ?? declaration.order) : declaration.order);
    const rowsAfter = createReader(declaration, order, context, query);
    const complete = (rows: readonly Row[]) =>
      // Without `complete`, a row is an item.
      declaration.complete?.(context, rows) ?? Promise.resolve(rows as readonly unknown[] as readonly Item[]);
    const createPages = (): Pages<Item> => {
      const next = createChunkReader(rowsAfter, order.getPosition, chunk);
      return async () => {
        const rows = await next();
        return rows && complete(rows);
      };
    };
    const logFault = (fault: unknown) =>
      context.services.logger.error({ requestId: context.requestId, err: fault }, 'an answer was broken off');
    if (download !== undefined && format !== 'json') {
      return streamDownload(format, download.name, download.columns, createPages(), logFault);
    }
    if (defaultLimit === 'all' && query.limit === undefined && query.cursor === undefined) {
      return streamJsonArray(createPages(), logFault);
    }
    const limit = query.limit ?? (defaultLimit === 'all' ? DEFAULT_LIMIT : defaultLimit);
    const after = query.cursor === undefined ? undefined : decodeCursor(order.cursor, query.cursor);
    // One row more than the limit shows whether there is another page.
    const rows = await rowsAfter(after, limit + 1);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const items = await complete(page);
    const total = shouldCountTotal(context) ? await countRows(declaration, context, query) : null;
    const headers: Record<string, string> =
      total === null ? {} : { 'X-Total-Count': String(total), 'Preference-Applied': EXACT_COUNT };
    if (last === undefined || rows.length <= limit) return new Reply(items, { headers });
    const cursor = encodeCursor(order.toCursor(order.getPosition(last)));
    return new Reply(items, { headers: { ...headers, Link: buildNextLink(context.facts.target, cursor) } });
  };
}

/** Counts the rows on all pages. */
async function countRows<Query extends ListQuery, Row, Item>(
  declaration: ListDeclaration<Query, Row, Item>,
  context: Context,
  query: Query,
): Promise<number> {
  const keep = declaration.keep?.(query, context.now);
  const cached = await declaration.readCached?.(context, query);
  if (cached) return keep === undefined ? cached.length : cached.filter(keep).length;
  if (declaration.count !== undefined && keep === undefined)
    return declaration.count(context, declaration.where(query, context.now), query);
  const byId = createOrder(declaration, '');
  const pages = createChunkReader(
    createReader({ ...declaration, sortings: {} }, byId, context, query),
    byId.getPosition,
    CHUNK,
  );
  let total = 0;
  for (let rows = await pages(); rows !== undefined; rows = await pages()) total += rows.length;
  return total;
}

/** Returns the format: `?format=`, or else the first supported type that `Accept` names, or else JSON. */
function listFormat(accept: string | null, format: ListQuery['format']): NonNullable<typeof format> {
  if (format !== undefined) return format;
  for (const type of parseMediaTypes(accept)) {
    if (type === 'application/json') return 'json';
    if (type === 'text/csv') return 'csv';
    if (type === 'application/jsonl' || type === 'application/x-ndjson') return 'jsonl';
  }
  return 'json';
}

export function parseMediaTypes(accept: string | null): string[] {
  return (accept ?? '').split(',').map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '');
}

type Order<Row> = ReturnType<typeof createOrder<Row>>;

function createOrder<Row>(
  { sortings = {}, id }: Pick<ListDeclaration<ListQuery, Row>, 'sortings' | 'id'>,
  sort: string,
) {
  const down = sort.startsWith('-');
  const sorting = sortings[down ? sort.slice(1) : sort];
  const keys: readonly Sorting<Row>[] = sorting === undefined ? [id] : [sorting, id];
  const inDatabase = keys.flatMap((key) => key.sql ?? []);
  const value = z.union([z.string(), z.number()]);
  const cursor: z.ZodType<Position> =
    sorting === undefined
      ? value.transform((only) => [only])
      : z.tuple([z.literal(sort), value, value]).transform(([, ...position]) => position);
  return {
    /** Undefined if all rows must be sorted in memory. */
    orderBy: inDatabase.length < keys.length ? undefined : inDatabase.map((key) => (down ? desc(key) : asc(key))),
    beyond: (values: Position) => {
      const buildTuple = (parts: readonly SQL[]) => sql`(${sql.join([...parts], sql`, `)})`;
      return sql`${buildTuple(inDatabase)} ${sql.raw(down ? '<' : '>')} ${buildTuple(values.map((value) => sql`${value}`))}`;
    },
    compare: (a: Position, b: Position) => {
      for (const [index, left] of a.entries()) {
        const right = b[index] ?? 0;
        if (left !== right) return (left < right ? -1 : 1) * (down ? -1 : 1);
      }
      return 0;
    },
    getPosition: (row: Row): Position => keys.map((key) => key.of(row)),
    /** Converts a position to a cursor, which names the order if there are several. */
    toCursor: (position: Position): unknown => (sorting === undefined ? position[0] : [sort, ...position]),
    cursor,
  };
}

/** Rows in memory that one turn of the event loop processes. */
const TURN = 10_000;

type RowsAfter<Row> = (after: Position | undefined, limit: number) => Promise<readonly Row[]>;

/** Creates a function that reads matching rows after a position, in order. */
function createReader<Query extends ListQuery, Row, Item>(
  declaration: ListDeclaration<Query, Row, Item>,
  order: Order<Row>,
  context: Context,
  query: Query,
): RowsAfter<Row> {
  const { chunk = CHUNK } = declaration;
  const filter = declaration.where(query, context.now);
  const keep = declaration.keep?.(query, context.now);
  const { orderBy } = order;
  if (orderBy === undefined) {
    const byId = createOrder(declaration, '');
    const everything = createReader({ ...declaration, sortings: {} }, byId, context, query);
    return async (after, limit) => {
      const cached = await declaration.readCached?.(context, query);
      const first = new FirstRows(order, after, limit);
      if (cached) {
        for (const [index, row] of cached.entries()) {
          if (index > 0 && index % TURN === 0) await takeTurn();
          if (keep === undefined || keep(row)) first.add(row);
        }
        return first.getRows();
      }
      for (const pages = createChunkReader(everything, byId.getPosition, chunk); ; ) {
        const rows = await pages();
        if (rows === undefined) return first.getRows();
        for (const row of rows) first.add(row);
      }
    };
  }
  const read = (after: Position | undefined, limit: number) =>
    declaration.read(context, { where: and(filter, after && order.beyond(after)), orderBy, limit }, query);
  if (keep === undefined) return read;
  return async (after, limit) => {
    const selected: Row[] = [];
    for (let from = after; ; await takeTurn()) {
      const rows = await read(from, chunk);
      selected.push(...rows.filter(keep));
      const last = rows.at(-1);
      if (last === undefined || rows.length < chunk || selected.length >= limit) return selected.slice(0, limit);
      from = order.getPosition(last);
    }
  };
}

/**
 * Reads a list to its end in chunks, with a turn of the event loop between them. Only the last position is held in
 * memory.
 */
function createChunkReader<Row>(
  rowsAfter: RowsAfter<Row>,
  getPosition: (row: Row) => Position,
  size: number,
): Pages<Row> {
  let after: Position | undefined;
  let more = true;
  return async () => {
    if (!more) return undefined;
    await takeTurn();
    const rows = await rowsAfter(after, size);
    const last = rows.at(-1);
    if (last !== undefined) after = getPosition(last);
    more = rows.length === size;
    return rows;
  };
}
