import type { Millis } from '@/lib/units';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

const MINUTE: Millis = 60_000;
export const inAMinute = (work: () => void): void => void setTimeout(work, MINUTE).unref();

interface LineGateOptions {
  /** Lines of one message that are written in a minute. */
  most?: number;
  /** Runs `work` a minute later, without keeping the process alive. */
  later?: (work: () => void) => void;
}

/** Messages that are told apart; there are fewer in the code. */
const MOST_MESSAGES = 500;

/**
 * Counts the lines of the log and lets the first of each message through, so that a fault that repeats itself thousands of
 * times a second cannot fill a disk. A minute begins with the first line after the last one ended.
 */
export class LineGate {
  /** Since the process started. */
  readonly written: Record<LogLevel, number> = { error: 0, warn: 0, info: 0, debug: 0 };
  /** Lines that were left out, by this gate and by others that note it here. */
  withheld = 0;
  /** Writes how many lines of a message were left out of a minute; set by the logger. */
  report: (level: LogLevel, line: string, count: number) => void = () => undefined;
  readonly #lines = new Map<string, { level: LogLevel; written: number; withheld: number }>();
  readonly #options: Required<LineGateOptions>;

  constructor(options: LineGateOptions = {}) {
    this.#options = { most: 60, later: inAMinute, ...options };
  }

  /** Whether a line may be written. */
  admits(level: LogLevel, line: string): boolean {
    const key = this.#lines.size < MOST_MESSAGES || this.#lines.has(line) ? line : 'other messages';
    const known = this.#lines.get(key);
    if (known === undefined && this.#lines.size === 0) this.#options.later(() => this.flush());
    const entry = known ?? { level, written: 0, withheld: 0 };
    if (known === undefined) this.#lines.set(key, entry);
    if (entry.written < this.#options.most) {
      entry.written += 1;
      return true;
    }
    entry.withheld += 1;
    this.withheld += 1;
    return false;
  }

  /** Ends the minute. */
  flush(): void {
    const lines = [...this.#lines];
    this.#lines.clear();
    for (const [line, { level, withheld }] of lines) if (withheld > 0) this.report(level, line, withheld);
  }
}
