import { MINUTE } from '@/lib/units';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

export const runInAMinute = (work: () => void): void => void setTimeout(work, MINUTE).unref();

interface LineGateOptions {
  /** Most lines of one message per minute. */
  most?: number;
  /** Runs `work` a minute later, without keeping the process alive. */
  later?: (work: () => void) => void;
}

/** Most messages that are counted separately. The code has fewer. */
const MOST_MESSAGES = 500;

/**
 * Counts the lines of the log and admits the first of each message, so that a fault that repeats thousands of times a
 * second cannot fill a disk. A minute begins with the first line after the previous minute ended.
 */
export class LineGate {
  /** Lines since the process started. */
  readonly written: Record<LogLevel, number> = { error: 0, warn: 0, info: 0, debug: 0 };
  /** Lines that were left out, by this gate and by others that add to this field. */
  withheld = 0;
  /** Logs how many lines of a message were left out of a minute. Set by the logger. */
  report: (level: LogLevel, line: string, count: number) => void = () => undefined;
  readonly #lines = new Map<string, { level: LogLevel; written: number; withheld: number }>();
  readonly #options: Required<LineGateOptions>;

  constructor(options: LineGateOptions = {}) {
    this.#options = { most: 60, later: runInAMinute, ...options };
  }

  /** Returns whether a line may be written, and counts it. */
  admitLine(level: LogLevel, line: string): boolean {
    const key = this.#lines.size < MOST_MESSAGES || this.#lines.has(line) ? line : 'other messages';
    const repeated = this.#lines.get(key);
    if (repeated === undefined && this.#lines.size === 0) this.#options.later(() => this.flush());
    const entry = repeated ?? { level, written: 0, withheld: 0 };
    if (repeated === undefined) this.#lines.set(key, entry);
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
