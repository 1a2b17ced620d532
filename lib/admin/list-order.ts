import { asc, desc, type SQL, sql } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';
import { decodeCursor } from '@/lib/http/pagination';

/** One way to sort a list: what its rows are compared by, in SQL and in a row. Never null, so that all rows compare. */
export interface Sorting<Row> {
  value: SQL;
  of: (row: Row) => string | number;
}

/** The way in which a page was asked for. */
export interface ListOrder<Row> {
  orderBy: SQL[];
  /** The rows after the page before; undefined for the first page. */
  beyond: SQL | undefined;
  /** Where a page that ends with this row ended, for its cursor. */
  positionOf: (row: Row) => Position;
  /** The rows that come after this one. */
  after: (row: Row) => SQL;
}

type Position = [sort: string, value: string | number, id: string];

/**
 * Pages of a sorted list by position ("keyset"): the value and the id of the last row, so that a page costs the same
 * however far down it is, and rows that are added meanwhile do not move the others from page to page.
 * @throws ApiError invalid_request for a cursor of another list or order
 */
export function listOrder<Row extends { id: string }>(
  sortings: Readonly<Record<string, Sorting<Row>>>,
  sort: string,
  id: AnySQLiteColumn,
  cursor: string | undefined,
): ListOrder<Row> {
  const down = sort.startsWith('-');
  const sorting = sortings[down ? sort.slice(1) : sort];
  if (sorting === undefined) throw new Error(`The list has no order ${sort}.`);
  const beyond = (value: string | number, last: string) =>
    down ? sql`(${sorting.value}, ${id}) < (${value}, ${last})` : sql`(${sorting.value}, ${id}) > (${value}, ${last})`;
  const position = cursor === undefined ? undefined : decodeCursor(positionIn(sort), cursor);
  return {
    orderBy: down ? [desc(sorting.value), desc(id)] : [asc(sorting.value), asc(id)],
    beyond: position && beyond(position[1], position[2]),
    positionOf: (row) => [sort, sorting.of(row), row.id],
    after: (row) => beyond(sorting.of(row), row.id),
  };
}

function positionIn(sort: string): z.ZodType<Position> {
  return z.tuple([z.string(), z.union([z.string(), z.number()]), z.string()]).refine(([of]) => of === sort);
}

/** Later than every time that is: where "never" sorts. */
export const NEVER = Number.MAX_SAFE_INTEGER;
