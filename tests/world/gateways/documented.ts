import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { GatewayName } from './gateways';

/** Tries what a row says on one gateway, and answers what its cell has to say; nothing means `yes`. */
export type Check = (gateway: GatewayName) => Promise<string | undefined>;

interface Row {
  row: string;
  cells: Record<string, string>;
}

const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The rows of the table under a heading of `docs/gateways/README.md`; its columns are gateways. */
function rowsUnder(heading: string): Row[] {
  const [, section] = readFileSync('docs/gateways/README.md', 'utf8').split(`\n### ${heading}\n`);
  if (section === undefined) throw new Error(`docs/gateways/README.md has no heading "${heading}".`);
  const [head = '', , ...lines] = (section.split(/\n#+ /)[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  const columns = cellsOf(head).slice(1);
  return lines.map((line) => {
    const [row = '', ...cells] = cellsOf(line);
    return {
      row,
      cells: Object.fromEntries(columns.map((column, index) => [column.toLowerCase(), cells[index] ?? ''])),
    };
  });
}

/** One test for each row of a documented table and each gateway: the check must answer what the cell says. */
export function proves(
  heading: string,
  gateways: readonly GatewayName[],
  checks: Readonly<Record<string, Check>>,
): void {
  const rows = rowsUnder(heading);

  it('has a check for every row, and a row for every check', () => {
    expect(Object.keys(checks)).toEqual(rows.map(({ row }) => row));
  });

  describe.each(gateways)('%s', (gateway) => {
    for (const { row, cells } of rows)
      it(row, async () => {
        expect((await checks[row]?.(gateway)) ?? 'yes').toBe(cells[gateway]);
      });
  });
}
