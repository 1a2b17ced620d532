import Table from 'cli-table3';
import { type CellStyle, cellText } from '@/cli/output/cell';
import type { Paint } from '@/cli/output/colour';
import { columnsOf, isRow, type Row } from '@/cli/output/rows';
import { lengthOf, wrapped } from '@/cli/output/wrapped';

export interface TableOptions extends CellStyle {
  columns: readonly string[];
  /** Of the terminal; null cuts nothing, for pipes and files. */
  width: number | null;
  paint: Paint;
  /** Without the names of the columns: a further page of the same table. */
  isContinued?: boolean;
  /** Of an earlier page, so that what follows looks the same. */
  layout?: Layout;
}

/** The widths of the columns; or a block of lines for each row, where a table would have columns too narrow to read. */
export type Layout = readonly number[] | 'blocks';

const GAP = 2;
/** A column that holds more is not made narrower than this. */
const NARROWEST = 8;
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
function fitted(natural: readonly number[], width: number | null): Layout {
  const widths = [...natural];
  if (width === null) return widths;
  const room = () => widths.reduce((sum, one) => sum + one + GAP, -GAP) - width;
  while (room() > 0) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) return 'blocks';
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** Lines of text, and the layout for the next page. */
export function tableText(rows: readonly Row[], options: TableOptions): { text: string; layout: Layout } {
  const { columns, paint, isContinued = false } = options;
  const cells = rows.map((row) => columns.map((column) => cellText(row[column], options)));
  const headings = columns.map(headingOf);
  const longest = (index: number) => Math.max(...[headings, ...cells].map((line) => lengthOf(line[index] ?? '')), 1);
  const natural = columns.map((_, index) => longest(index));
  const layout = options.layout ?? fitted(natural, options.width);
  if (layout === 'blocks') {
    const blocks = cells.map((line) => blockText(columns, line, options));
    return { text: `${isContinued ? '\n' : ''}${blocks.join('\n\n')}`, layout };
  }
  // Where nothing is cut, a further page may need more room than the first.
  const widths = options.width === null ? layout.map((width, index) => Math.max(width, natural[index] ?? 0)) : layout;
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
  return { text, layout: widths };
}

/** One row, a member on each line, for terminals that are too narrow for the table; nothing is cut. */
function blockText(columns: readonly string[], cells: readonly string[], { width, paint }: TableOptions): string {
  const names = Math.max(...columns.map((column) => column.length)) + GAP;
  return columns
    .flatMap((column, index) =>
      wrapped(cells[index] ?? '', Math.max(NARROWEST, (width ?? Number.POSITIVE_INFINITY) - names)).map((line, at) =>
        `${paint('dim', (at === 0 ? column : '').padEnd(names))}${line}`.trimEnd(),
      ),
    )
    .join('\n');
}

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
