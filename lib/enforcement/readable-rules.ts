import { type Column, getTableColumns, getTableName } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { findDamage, type RowReading } from '@/lib/db/readable-rows';

/**
 * The rows that can be read, and those that were removed. Without the others a decision is stricter (an allowlist entry, a
 * grant), goes by the usual limit (an override), or refuses the key.
 * @returns an array where all rows are there
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
