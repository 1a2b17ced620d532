import Table from 'cli-table3';
import { type CellStyle, cellText } from '@/cli/output/cell';
import type { Paint } from '@/cli/output/colour';
import { columnsOf, isRow, type Row } from '@/cli/output/rows';

export interface TableOptions extends CellStyle {
  columns: readonly string[];
  /** Of the terminal; null cuts nothing, for pipes and files. */
  width: number | null;
  paint: Paint;
  /** Without the names of the columns: a further page of the same table. */
  isContinued?: boolean;
  /** Widths of an earlier page, so that the columns stay where they are. */
  widths?: readonly number[];
}

const GAP = 2;
const NARROWEST = 6;
const NO_BORDERS = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
  ].map((part) => [part, '']),
);

/** The column's name as a heading: `created_at` is "CREATED". */
function headingOf(column: string): string {
  return column.replace(/_at$/, '').replaceAll('_', ' ').toUpperCase();
}

/** How wide each column may be so that all fit; the widest give way first. */
function fitted(natural: readonly number[], width: number | null): number[] {
  const widths = [...natural];
  if (width === null) return widths;
  const room = () => widths.reduce((sum, one) => sum + one + GAP, -GAP) - width;
  while (room() > 0) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** Lines of text, and the widths for the next page. */
export function tableText(rows: readonly Row[], options: TableOptions): { text: string; widths: readonly number[] } {
  const { columns, paint, isContinued = false } = options;
  const cells = rows.map((row) => columns.map((column) => cellText(row[column], options)));
  const headings = columns.map(headingOf);
  const longest = (index: number) => Math.max(...[headings, ...cells].map((line) => lengthOf(line[index] ?? '')), 1);
  const natural = columns.map((_, index) => longest(index));
  const former = options.widths ?? fitted(natural, options.width);
  // Where nothing is cut, a further page may need more room than the first.
  const widths = options.width === null ? former.map((width, index) => Math.max(width, natural[index] ?? 0)) : former;
  const table = new Table({
    chars: NO_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
    colWidths: widths.map((width) => width + GAP),
    truncate: '…',
  });
  if (!isContinued) table.push(headings.map((heading) => paint('dim', heading)));
  for (const line of cells) table.push(line);
  const text = table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
  return { text, widths };
}

/** Columns of the terminal, as cli-table3 counts them or more: what is counted short would be cut. */
function lengthOf(text: string): number {
  return [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);
}

/** The far east from its radicals on, what of it is elsewhere, and pictures. */
const WIDE = /[\u1100-\u115f\u2329\u232a\u2e80-\u{10ffff}\p{Emoji_Presentation}]/u;

/** One object, a member on each line; what is nested by its path, tables of objects below. */
export function recordText(record: Row, options: Omit<TableOptions, 'columns'>): string {
  const lines: [string, string][] = [];
  const tables: string[] = [];
  const walk = (value: Row, path: string) => {
    for (const [name, member] of Object.entries(value)) {
      const at = path === '' ? name : `${path}.${name}`;
      if (isRow(member)) walk(member, at);
      else if (Array.isArray(member) && member.some(isRow)) {
        const rows = member.filter(isRow);
        const { text } = tableText(rows, { ...options, columns: columnsOf(rows) });
        tables.push(`\n${options.paint('bold', at)}\n${text}`);
      } else lines.push([at, cellText(member, options)]);
    }
  };
  walk(record, '');
  const width = Math.max(0, ...lines.map(([name]) => name.length));
  return [...lines.map(([name, text]) => `${options.paint('dim', name.padEnd(width))}  ${text}`), ...tables].join('\n');
}
