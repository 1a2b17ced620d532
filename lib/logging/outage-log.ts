import type { Logger } from 'pino';
import { MINUTE, type Millis } from '@/lib/units';

export const DATABASE_OUTAGE: OutageLines = {
  down: 'the database is down',
  still: 'the database is still down',
  back: 'the database is back',
};

/** Messages about the counter store, for decisions. The connection to Redis logs separate lines. */
export const STORE_OUTAGE: OutageLines = {
  down: 'decisions are made without the counter store',
  still: 'decisions are still made without the counter store',
  back: 'decisions are made with the counter store again',
};

/** Messages about the collector of traces. No request waits for it. */
export const TRACES_OUTAGE: OutageLines = {
  level: 'warn',
  down: 'sending traces failed',
  still: 'sending traces still fails',
  back: 'traces are sent again',
};

/** The messages of an `OutageLog`. */
interface OutageLines {
  /** Level of the lines about the outage. `error` by default. */
  level?: 'error' | 'warn';
  down: string;
  still: string;
  back: string;
}

interface OutageLogOptions {
  logger: Pick<Logger, 'error' | 'warn' | 'info'>;
  lines: OutageLines;
  /** Monotonic clock, in milliseconds. */
  monotonic: () => Millis;
}

/**
 * Logs the outage of a dependency: one line at its first failure, one per minute with the number of failures during it,
 * and one at its end. It never logs a line for each failed request.
 */
export class OutageLog {
  #began: Millis | null = null;
  #reported: Millis = 0;
  #failures = 0;
  #writesFail = false;

  constructor(private readonly options: OutageLogOptions) {}

  /**
   * @param isWrite whether a write failed; then only a successful write ends the outage, because a full disk can be
   * read
   */
  recordFailure(error: unknown, isWrite = false): void {
    const { logger, lines, monotonic } = this.options;
    const { level = 'error' } = lines;
    const now = monotonic();
    this.#failures += 1;
    this.#writesFail ||= isWrite;
    if (this.#began === null) {
      this.#began = now;
      this.#reported = now;
      logger[level]({ err: error }, lines.down);
    } else if (now - this.#reported >= MINUTE) {
      this.#reported = now;
      logger[level]({ err: error, failures: this.#failures, seconds: this.#computeSeconds(now) }, lines.still);
    }
  }

  recordSuccess(isWrite = false): void {
    if (this.#began === null || (this.#writesFail && !isWrite)) return;
    const { logger, lines, monotonic } = this.options;
    logger.info({ failures: this.#failures, seconds: this.#computeSeconds(monotonic()) }, lines.back);
    this.#began = null;
    this.#failures = 0;
    this.#writesFail = false;
  }

  #computeSeconds(now: Millis): number {
    return Math.round((now - (this.#began ?? now)) / 1000);
  }
}
