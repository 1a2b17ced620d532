import { setImmediate } from 'node:timers/promises';
import { and, asc, desc, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import {
  type Column,
  type CsvValue,
  decodeCursor,
  downloadResponse,
  encodeCursor,
  jsonArrayResponse,
  nextLink,
  type Pages,
} from '@/lib/http/paged-response';
import type { Context } from '@/lib/operation/context';
import { Reply } from '@/lib/operation/operation';

/** Sorts after every time: the place of "never". */
export const NEVER = Number.MAX_SAFE_INTEGER;

const DEFAULT_LIMIT = 100;
/** Rows read in one turn of the event loop: enough to be quick, few enough not to be felt. */
const CHUNK = 500;

/** What rows are compared by. Never null, so that all rows compare. */
interface Sorting<Row> {
  /** Absent where the database does not hold the value: then all matching rows are read and sorted here. */
  sql?: SQL;
  of: (row: Row) => string | number;
}

export interface ListQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
  sort?: string | undefined;
  format?: 'json' | 'csv' | 'jsonl' | undefined;
}

/** What a time in an answer is compared by, in milliseconds. @param absent in place of null */
export function timeOf(instant: string | null, absent = 0): number {
  return instant === null ? absent : Date.parse(instant);
}

/** CSV columns that are members of the items. */
export function columnsOf<Name extends string>(...names: readonly Name[]) {
  return names.map((name) => [name, (item: { readonly [N in Name]: CsvValue }) => item[name]] as const);
}

/** Rows of a query, in the order and from the position that it says. */
interface RowQuery {
  where: SQL | undefined;
  orderBy: SQL[];
  limit: number;
}

/** A list that the server filters, sorts, pages and exports. */
export interface ListDeclaration<Query extends ListQuery, Row, Item = Row> {
  /** Rows with what is filtered and sorted by. */
  read(context: Context, rows: RowQuery, query: Query): Promise<readonly Row[]>;
  /** All rows that the query asks for, without `keep`, where memory holds them; null where `read` must. */
  all?(context: Context, query: Query): Promise<readonly Row[] | null>;
  /** The rows of a page as they leave Sluice, in the same order; absent where `read` gives them so. */
  complete?(context: Context, rows: readonly Row[]): Promise<readonly Item[]>;
  /** By the names that `sort` takes. */
  sortings?: Readonly<Record<string, Sorting<Row>>>;
  /** Tells rows apart that compare equal, and is the order itself where `sort` names no sorting. */
  id: Required<Sorting<Row>>;
  /** The order of downloads, which an index serves, and of lists without `sort`; a minus sorts downwards. */
  order: string;
  where(query: Query, now: number): SQL | undefined;
  /** A filter by what the database does not hold; undefined where the query asks for none. */
  keep?(query: Query, now: number): ((row: Row) => boolean) | undefined;
  /** File name without extension, and the columns of a CSV; absent where the list is no download. */
  download?: { name: string; columns: readonly Column<NoInfer<Item>>[] };
  /** Rows on a page; `all`: without `limit` and `cursor` the answer holds everything. */
  defaultLimit?: number | 'all';
  /** Rows read in one turn of the event loop; fewer where each costs a look-up in the counters. */
  chunk?: number;
}

/** The values of a row that the order compares. */
type Position = readonly (string | number)[];

/**
 * Carries out the contract of a list: as a page, as everything, or as a download, streamed chunk by chunk.
 *
 * Pages are found by position ("keyset"): the values of the last row, so that a page costs the same however far down
 * it is, and rows that are added meanwhile do not move the others from page to page.
 * @throws ApiError invalid_request for a cursor of another list or order
 */
export function list<Query extends ListQuery, Row, Item = Row>(declaration: ListDeclaration<Query, Row, Item>) {
  const { download, defaultLimit = DEFAULT_LIMIT, chunk = CHUNK } = declaration;
  return async (context: Context, { query }: { query: Query }) => {
    const format = download === undefined ? 'json' : listFormat(context.facts.accept, query.format);
    const order = orderOf(declaration, format === 'json' ? (query.sort ?? declaration.order) : declaration.order);
    const rowsAfter = reader(declaration, order, context, query);
    const complete = (rows: readonly Row[]) =>
      // Without `complete`, a row is an item.
      declaration.complete?.(context, rows) ?? Promise.resolve(rows as readonly unknown[] as readonly Item[]);
    const pages = (): Pages<Item> => {
      const next = chunks(rowsAfter, order.positionOf, chunk);
      return async () => {
        const rows = await next();
        return rows && complete(rows);
      };
    };
    const onFault = (fault: unknown) =>
      context.services.logger.error({ requestId: context.requestId, err: fault }, 'an answer was broken off');
    if (download !== undefined && format !== 'json') {
      return downloadResponse(format, download.name, download.columns, pages(), onFault);
    }
    if (defaultLimit === 'all' && query.limit === undefined && query.cursor === undefined) {
      return jsonArrayResponse(pages(), onFault);
    }
    const limit = query.limit ?? (defaultLimit === 'all' ? DEFAULT_LIMIT : defaultLimit);
    const after = query.cursor === undefined ? undefined : decodeCursor(order.cursor, query.cursor);
    // One row more than asked for: there is another page.
    const rows = await rowsAfter(after, limit + 1);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const items = await complete(page);
    if (last === undefined || rows.length <= limit) return new Reply(items);
    const cursor = encodeCursor(order.toCursor(order.positionOf(last)));
    return new Reply(items, { headers: { Link: nextLink(context.facts.target, cursor) } });
  };
}

/** `?format=`, else the first known type that `Accept` names, else JSON. */
function listFormat(accept: string | null, format: ListQuery['format']): NonNullable<typeof format> {
  if (format !== undefined) return format;
  for (const type of mediaTypesIn(accept)) {
    if (type === 'application/json') return 'json';
    if (type === 'text/csv') return 'csv';
    if (type === 'application/jsonl' || type === 'application/x-ndjson') return 'jsonl';
  }
  return 'json';
}

export function mediaTypesIn(accept: string | null): string[] {
  return (accept ?? '').split(',').map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '');
}

type Order<Row> = ReturnType<typeof orderOf<Row>>;

function orderOf<Row>({ sortings = {}, id }: Pick<ListDeclaration<ListQuery, Row>, 'sortings' | 'id'>, sort: string) {
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
    /** Undefined where all rows must be sorted here. */
    orderBy: inDatabase.length < keys.length ? undefined : inDatabase.map((key) => (down ? desc(key) : asc(key))),
    beyond: (values: Position) => {
      const tuple = (parts: readonly SQL[]) => sql`(${sql.join([...parts], sql`, `)})`;
      return sql`${tuple(inDatabase)} ${sql.raw(down ? '<' : '>')} ${tuple(values.map((value) => sql`${value}`))}`;
    },
    compare: (a: Position, b: Position) => {
      for (const [index, left] of a.entries()) {
        const right = b[index] ?? 0;
        if (left !== right) return (left < right ? -1 : 1) * (down ? -1 : 1);
      }
      return 0;
    },
    positionOf: (row: Row): Position => keys.map((key) => key.of(row)),
    /** A position as a cursor holds it, which names the order if there are several. */
    toCursor: (position: Position): unknown => (sorting === undefined ? position[0] : [sort, ...position]),
    cursor,
  };
}

/** Rows in memory that one turn of the event loop looks at. */
const TURN = 10_000;

/** The first rows of an order, from a position on, of all that are added. */
class FirstRows<Row> {
  readonly #found: { row: Row; position: Position }[] = [];

  constructor(
    private readonly order: Order<Row>,
    private readonly after: Position | undefined,
    private readonly limit: number,
  ) {}

  add(row: Row): void {
    const { compare, positionOf } = this.order;
    const position = positionOf(row);
    if (this.after !== undefined && compare(position, this.after) <= 0) return;
    const last = this.#found.at(-1);
    if (this.#found.length >= this.limit && last !== undefined && compare(position, last.position) >= 0) return;
    let [low, high] = [0, this.#found.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#found[middle];
      if (other !== undefined && compare(other.position, position) < 0) low = middle + 1;
      else high = middle;
    }
    this.#found.splice(low, 0, { row, position });
    if (this.#found.length > this.limit) this.#found.pop();
  }

  rows(): Row[] {
    return this.#found.map(({ row }) => row);
  }
}

type RowsAfter<Row> = (after: Position | undefined, limit: number) => Promise<readonly Row[]>;

/** Reads matching rows from a position on, in the order. */
function reader<Query extends ListQuery, Row, Item>(
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
    const byId = orderOf(declaration, '');
    const everything = reader({ ...declaration, sortings: {} }, byId, context, query);
    return async (after, limit) => {
      const known = await declaration.all?.(context, query);
      const first = new FirstRows(order, after, limit);
      if (known) {
        for (const [index, row] of known.entries()) {
          if (index > 0 && index % TURN === 0) await setImmediate();
          if (keep === undefined || keep(row)) first.add(row);
        }
        return first.rows();
      }
      for (const pages = chunks(everything, byId.positionOf, chunk); ; ) {
        const rows = await pages();
        if (rows === undefined) return first.rows();
        for (const row of rows) first.add(row);
      }
    };
  }
  const read = (after: Position | undefined, limit: number) =>
    declaration.read(context, { where: and(filter, after && order.beyond(after)), orderBy, limit }, query);
  if (keep === undefined) return read;
  return async (after, limit) => {
    const kept: Row[] = [];
    for (let from = after; ; await setImmediate()) {
      const rows = await read(from, chunk);
      kept.push(...rows.filter(keep));
      const last = rows.at(-1);
      if (last === undefined || rows.length < chunk || kept.length >= limit) return kept.slice(0, limit);
      from = order.positionOf(last);
    }
  };
}

/** A list to its end, chunk by chunk, with a turn of the event loop in between. Only the last position is held. */
function chunks<Row>(rowsAfter: RowsAfter<Row>, positionOf: (row: Row) => Position, size: number): Pages<Row> {
  let after: Position | undefined;
  let more = true;
  return async () => {
    if (!more) return undefined;
    if (after !== undefined) await setImmediate();
    const rows = await rowsAfter(after, size);
    const last = rows.at(-1);
    if (last !== undefined) after = positionOf(last);
    more = rows.length === size;
    return rows;
  };
}
