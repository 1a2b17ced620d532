import Table from 'cli-table3';
import { type CellStyle, formatCell } from '@/cli/output/cell';
import type { Paint } from '@/cli/output/colour';
import { chooseColumns, isRow, type Row } from '@/cli/output/rows';
import { measureWidth, wrapText } from '@/cli/output/wrap-text';

export interface TableOptions extends CellStyle {
  columns: readonly string[];
  /** Width of the terminal. Null cuts nothing, for pipes and files. */
  width: number | null;
  paint: Paint;
  /** Columns that a narrow terminal omits, in this order. */
  drop?: readonly string[];
  /** Omits the header, for a further page of the same table. */
  isContinued?: boolean;
  /** Layout of an earlier page, so that all pages look the same. */
  layout?: Layout;
}

/** Columns that fit with their widths, or `blocks`: one block of lines per row, if a table would cut too much. */
export type Layout = { columns: readonly string[]; widths: readonly number[] } | 'blocks';

const GAP = 2;
/** Minimum width of a column with longer values. */
const NARROWEST = 8;
/** Minimum width of a column with longer values while other columns can still be dropped. */
const COMFORTABLE = 16;
/** Columns that identify an object. A cut identifier is useless. */
const IDENTIFYING = /^(id|seq|identifier|ip|email|prefix|address|url|.*_id)$/;
const NO_BORDERS = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
  ].map((part) => [part, '']),
);

/** Turns a column name into a heading: `created_at` is "CREATED". */
function formatHeading(column: string): string {
  return column.replace(/_at$/, '').replaceAll('_', ' ').toUpperCase();
}

interface Column {
  name: string;
  /** Width of the heading and all values. */
  natural: number;
}

/**
 * Chooses the columns that fit. Optional columns are dropped before others become too narrow. Identifiers are never
 * cut.
 */
function fitColumns(columns: readonly Column[], width: number | null, drop: readonly string[]): Layout {
  const buildLayout = (shown: readonly Column[], widths: readonly number[]) => ({
    columns: shown.map(({ name }) => name),
    widths,
  });
  if (width === null)
    return buildLayout(
      columns,
      columns.map(({ natural }) => natural),
    );
  const dropped = drop.filter((name) => columns.some((column) => column.name === name));
  for (let count = 0; ; count += 1) {
    const shown = columns.filter(({ name }) => !dropped.slice(0, count).includes(name));
    const isLast = count >= dropped.length;
    const widths = narrowColumns(shown, width, isLast ? NARROWEST : COMFORTABLE);
    if (widths !== null) return buildLayout(shown, widths);
    if (isLast) return 'blocks';
  }
}

/** Reduces the widths until the columns fit, widest first. Null if the minimum widths do not fit. */
function narrowColumns(columns: readonly Column[], width: number, narrowest: number): number[] | null {
  const least = columns.map(({ name, natural }) => (IDENTIFYING.test(name) ? natural : Math.min(natural, narrowest)));
  const widths = columns.map(({ natural }) => natural);
  const sum = (all: readonly number[]) => all.reduce((total, one) => total + one + GAP, -GAP);
  if (sum(least) > width) return null;
  while (sum(widths) > width) {
    const widest = Math.max(...widths.filter((one, index) => one > (least[index] ?? 0)));
    const at = widths.findIndex((one, index) => one === widest && one > (least[index] ?? 0));
    widths[at] = widest - 1;
  }
  return widths;
}

/** Renders a table and returns the layout for the next page. */
export function formatTable(rows: readonly Row[], options: TableOptions): { text: string; layout: Layout } {
  const { columns, paint, drop = [], isContinued = false } = options;
  const formatCells = (names: readonly string[]) =>
    rows.map((row) => names.map((name) => formatCell(row[name], options)));
  const measureNatural = (name: string) =>
    Math.max(measureWidth(formatHeading(name)), ...rows.map((row) => measureWidth(formatCell(row[name], options))), 1);
  const layout =
    options.layout ??
    fitColumns(
      columns.map((name) => ({ name, natural: measureNatural(name) })),
      options.width,
      drop,
    );
  if (layout === 'blocks') {
    const blocks = formatCells(columns).map((line) => formatBlock(columns, line, options));
    return { text: `${isContinued ? '\n' : ''}${blocks.join('\n\n')}`, layout };
  }
  const cells = formatCells(layout.columns);
  const headings = layout.columns.map(formatHeading);
  // Identifiers on a further page may need more room than those on the first.
  const isWhole = (name: string) => options.width === null || IDENTIFYING.test(name);
  const widths = layout.widths.map((width, index) => {
    const name = layout.columns[index] ?? '';
    return isWhole(name) ? Math.max(width, measureNatural(name)) : width;
  });
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
  return { text, layout: { columns: layout.columns, widths } };
}

/** Formats a row as one member per line, for terminals too narrow for the table. Nothing is cut. */
function formatBlock(columns: readonly string[], cells: readonly string[], { width, paint }: TableOptions): string {
  const names = Math.max(...columns.map((column) => column.length)) + GAP;
  return columns
    .flatMap((column, index) =>
      wrapText(cells[index] ?? '', Math.max(NARROWEST, (width ?? Number.POSITIVE_INFINITY) - names)).map((line, at) =>
        `${paint('dim', (at === 0 ? column : '').padEnd(names))}${line}`.trimEnd(),
      ),
    )
    .join('\n');
}

/** Formats an object as one member per line. Nested members are named by path; tables of objects come last. */
export function formatRecord(record: Row, options: Omit<TableOptions, 'columns'>): string {
  const lines: [string, string][] = [];
  const tables: string[] = [];
  const walk = (value: Row, path: string) => {
    for (const [name, member] of Object.entries(value)) {
      const at = path === '' ? name : `${path}.${name}`;
      if (isRow(member)) walk(member, at);
      else if (Array.isArray(member) && member.some(isRow)) {
        const rows = member.filter(isRow);
        const { text } = formatTable(rows, { ...options, columns: chooseColumns(rows) });
        tables.push(`\n${options.paint('bold', at)}\n${text}`);
      } else lines.push([at, formatCell(member, options)]);
    }
  };
  walk(record, '');
  const width = Math.max(0, ...lines.map(([name]) => name.length));
  return [...lines.map(([name, text]) => `${options.paint('dim', name.padEnd(width))}  ${text}`), ...tables].join('\n');
}
