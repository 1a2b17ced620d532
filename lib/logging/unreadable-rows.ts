import type { Logger } from 'pino';

/** Most rows that are remembered. More damaged rows add no information. */
const MOST_TOLD = 1_000;

/** Logs each unreadable stored row once, even if it is read again. Such rows are left out. */
export class UnreadableRows {
  readonly #told = new Set<string>();

  constructor(private readonly logger: Pick<Logger, 'error'>) {}

  /** @param row identifies the row: a key, a position or a name */
  found(table: string, row: string | number, error?: unknown): void {
    const name = `${table} ${row}`;
    if (this.#told.has(name) || this.#told.size >= MOST_TOLD) return;
    this.#told.add(name);
    this.logger.error({ table, row, ...(error === undefined ? {} : { err: error }) }, 'a stored row cannot be read');
  }
}
