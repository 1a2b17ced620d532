import { type Column, getTableColumns, getTableName } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { findDamage, type RowReading } from '@/lib/db/readable-rows';

/**
 * Leaves out the rows that cannot be read, and reports them. Removed rows stay unchecked, because only their removal is used.
 * Without an allowlist entry or a grant, decisions are stricter. Without an override, the usual limit applies. Without
 * its key, a request is refused.
 * @returns an array if `rows` is one
 */
export function removeUnreadable<Row extends { id: string }>(
  rows: Iterable<Row>,
  table: SQLiteTable,
  isRemoved: (row: Row) => boolean,
  reading: RowReading,
): Iterable<Row> {
  const readable = pickReadable(rows, table, isRemoved, reading);
  return Array.isArray(rows) ? [...readable] : readable;
}

function* pickReadable<Row extends { id: string }>(
  rows: Iterable<Row>,
  table: SQLiteTable,
  isRemoved: (row: Row) => boolean,
  { contents, onUnreadable }: RowReading,
): Iterable<Row> {
  let columns: [string, Column][] | undefined;
  for (const row of rows) {
    // All rows have the same members.
    columns ??= Object.entries(getTableColumns(table)).filter(([name]) => name in row);
    const error = isRemoved(row) ? null : findDamage(columns, row, contents);
    if (error === null) yield row;
    else onUnreadable(getTableName(table), String(row.id), error);
  }
}
