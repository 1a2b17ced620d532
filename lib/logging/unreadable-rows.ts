import type { Logger } from 'pino';

/** Most rows that are reported. More damaged rows add no information. */
const MOST_REPORTED = 1_000;

/** Logs each unreadable stored row once, even if it is read again. Such rows are left out. */
export class UnreadableRows {
  readonly #reported = new Set<string>();

  constructor(private readonly logger: Pick<Logger, 'error'>) {}

  /** @param row identifies the row: a key, a position or a name */
  reportRow(table: string, row: string | number, error?: unknown): void {
    const name = `${table} ${row}`;
    if (this.#reported.has(name) || this.#reported.size >= MOST_REPORTED) return;
    this.#reported.add(name);
    this.logger.error({ table, row, ...(error === undefined ? {} : { err: error }) }, 'a stored row cannot be read');
  }
}
