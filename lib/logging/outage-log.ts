import type { Logger } from 'pino';
import type { Millis } from '@/lib/units';

export const DATABASE_OUTAGE: OutageLines = {
  down: 'the database is down',
  still: 'the database is still down',
  back: 'the database is back',
};

/** Noticed by decisions; the connection to Redis has lines of its own. */
export const STORE_OUTAGE: OutageLines = {
  down: 'decisions are made without the counter store',
  still: 'decisions are still made without the counter store',
  back: 'decisions are made with the counter store again',
};

/** Of the collector of traces, which nobody waits for. */
export const TRACES_OUTAGE: OutageLines = {
  level: 'warn',
  down: 'sending traces failed',
  still: 'sending traces still fails',
  back: 'traces are sent again',
};

/** The messages of an `OutageLog`. */
interface OutageLines {
  /** `error` by default. */
  level?: 'error' | 'warn';
  down: string;
  still: string;
  back: string;
}

interface OutageLogOptions {
  logger: Pick<Logger, 'error' | 'warn' | 'info'>;
  lines: OutageLines;
  /** Monotonic, in milliseconds. */
  monotonic: () => Millis;
}

const MINUTE: Millis = 60_000;

/**
 * Logs that something we depend on is down: one line at its first failure, one a minute with the number of failures while
 * it lasts, one when it is back. Never a line for each request that it fails.
 */
export class OutageLog {
  #began: Millis | null = null;
  #reported: Millis = 0;
  #failures = 0;
  #writesFail = false;

  constructor(private readonly options: OutageLogOptions) {}

  /** @param isWrite after a write has failed, only a write shows that it is over: a full disk can be read */
  failed(error: unknown, isWrite = false): void {
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
      logger[level]({ err: error, failures: this.#failures, seconds: this.#seconds(now) }, lines.still);
    }
  }

  worked(isWrite = false): void {
    if (this.#began === null || (this.#writesFail && !isWrite)) return;
    const { logger, lines, monotonic } = this.options;
    logger.info({ failures: this.#failures, seconds: this.#seconds(monotonic()) }, lines.back);
    this.#began = null;
    this.#failures = 0;
    this.#writesFail = false;
  }

  #seconds(now: Millis): number {
    return Math.round((now - (this.#began ?? now)) / 1000);
  }
}
