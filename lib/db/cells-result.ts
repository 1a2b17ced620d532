import type { ResultSet, Row, Value } from '@libsql/client';

/**
 * A result of a client, whose rows are also available as cells. This is a class, because V8 creates a hidden class
 * for each accessor in a literal. That would keep all that its function captures until the next full collection.
 */
export class CellsResult implements ResultSet {
  #rows: Row[] | undefined;

  constructor(
    readonly columns: string[],
    readonly cells: Value[][],
    readonly rowsAffected: number,
    readonly lastInsertRowid: bigint | undefined,
    private readonly rowOf: RowMaker,
  ) {}

  get columnTypes(): string[] {
    return this.columns.map(() => '');
  }

  /** Rows are created on demand, because long answers are read as cells. */
  get rows(): Row[] {
    this.#rows ??= this.cells.map(this.rowOf);
    return this.#rows;
  }

  toJSON(): object {
    return { columns: this.columns, rows: this.cells, rowsAffected: this.rowsAffected };
  }
}

/**
 * Returns the rows of an answer as arrays of their values. For long answers, creating rows costs more than reading
 * them.
 */
export function getCells(result: ResultSet): readonly (readonly Value[])[] {
  return 'cells' in result ? (result as CellsResult).cells : result.rows.map((row) => Array.from(row));
}

/**
 * Converts the integers of a result to numbers, as the driver of a file does. Integers beyond 2^53 are rounded to
 * numbers that no column may hold, so their rows are left out like other damaged rows.
 */
export function convertBigInts({ columns, rows, rowsAffected, lastInsertRowid }: ResultSet): ResultSet {
  const convertBigInt = (value: Value) => (typeof value === 'bigint' ? Number(value) : value);
  const cells = rows.map((row) => Array.from(row, convertBigInt));
  return new CellsResult(columns, cells, rowsAffected, lastInsertRowid, createRowMaker(columns));
}

export type RowMaker = (cells: readonly Value[]) => Row;

export const NO_ROWS = createRowMaker([]);

/**
 * Creates a maker of rows that can be read by name, which they list, and by index. The indices are on the prototype, so
 * that all rows have one shape. If two columns have the same name, they are on the rows.
 */
export function createRowMaker(columns: readonly string[]): RowMaker {
  const shared: object = Object.create(null);
  Object.defineProperty(shared, 'length', { value: columns.length });
  for (const [index, column] of columns.entries()) {
    Object.defineProperty(shared, index, {
      get(this: Record<string, Value>) {
        return this[column];
      },
    });
  }
  const areUnique = new Set(columns).size === columns.length && columns.every((column) => !(column in shared));
  return (cells) => {
    const row: Record<string | number, unknown> = Object.create(shared);
    for (const [index, column] of columns.entries()) {
      const cell = cells[index];
      if (!areUnique) Object.defineProperty(row, index, { value: cell });
      if (areUnique || !(column in row)) row[column] = cell;
    }
    return row as unknown as Row;
  };
}
