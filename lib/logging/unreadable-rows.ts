import type { Logger } from 'pino';

/** Rows that are remembered: where more are damaged, their number says nothing more. */
const MOST_TOLD = 1_000;

/** Logs each stored row that cannot be read and is left out, once, however often it is met. */
export class UnreadableRows {
  readonly #told = new Set<string>();

  constructor(private readonly logger: Pick<Logger, 'error'>) {}

  /** @param row what it is found by: a key, a position, a name */
  found(table: string, row: string | number, error?: unknown): void {
    const name = `${table} ${row}`;
    if (this.#told.has(name) || this.#told.size >= MOST_TOLD) return;
    this.#told.add(name);
    this.logger.error({ table, row, ...(error === undefined ? {} : { err: error }) }, 'a stored row cannot be read');
  }
}
