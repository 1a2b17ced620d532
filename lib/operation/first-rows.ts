/** Values of a row that the order compares. */
export type Position = readonly (string | number)[];

interface PositionOrder<Row> {
  compare: (a: Position, b: Position) => number;
  getPosition: (row: Row) => Position;
}

/** Collects the first rows of an order, after a position, from all rows that are added. */
export class FirstRows<Row> {
  readonly #found: { row: Row; position: Position }[] = [];

  constructor(
    private readonly order: PositionOrder<Row>,
    private readonly after: Position | undefined,
    private readonly limit: number,
  ) {}

  add(row: Row): void {
    const { compare, getPosition } = this.order;
    const position = getPosition(row);
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

  getRows(): Row[] {
    return this.#found.map(({ row }) => row);
  }
}
