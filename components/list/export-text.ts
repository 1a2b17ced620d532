import { type CsvValue, csvLine } from '@/lib/http/csv';

/** One column of an export: its heading and what a row has there. */
export interface ExportColumn<Row> {
  name: string;
  value: (row: Row) => CsvValue;
}

/** RFC 4180, with a heading line; no cell can be taken for a formula. */
export function toCsv<Row>(rows: readonly Row[], columns: readonly ExportColumn<Row>[]): string {
  const heading = csvLine(columns.map((column) => column.name));
  return heading + rows.map((row) => csvLine(columns.map((column) => column.value(row)))).join('');
}

/** One JSON object a line. */
export function toJsonLines(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
