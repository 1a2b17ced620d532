import { setTimeout as wait } from 'node:timers/promises';
import type { Millis } from '@/lib/units';

/** Silence after which the process may have been frozen. Platforms freeze a process only between requests. */
const PAUSE: Millis = 1_000;
/** Longest wait for another connection. A silent connection is dropped after two seconds. */
const LONGEST: Millis = 3_000;
/** Pause between two checks. */
const STEP: Millis = 20;

/**
 * Checks a connection before its first call after a pause, for processes that a platform freezes. A process notices only
 * after its thaw that a connection was closed. A call on that connection would fail, and could not be repeated: it may
 * have had its effect.
 */
export class ThawCheck {
  #answeredAt: Millis;
  #checking: Promise<void> | null = null;

  /**
   * @param isAnswering sends something that has no effect; must not reject
   * @param monotonic clock in milliseconds that never goes back
   */
  constructor(
    private readonly isAnswering: () => Promise<boolean>,
    private readonly monotonic: () => Millis,
  ) {
    this.#answeredAt = monotonic();
  }

  /**
   * Resolves when the connection answers, or after `LONGEST`. Then the call itself reports the outage. Null if no check
   * is due. Never rejects.
   */
  run(): Promise<void> | null {
    if (this.#checking === null && this.monotonic() - this.#answeredAt < PAUSE) return null;
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  /** Runs a call after the check. */
  async call<T>(call: () => Promise<T>): Promise<T> {
    await this.run();
    const answer = await call();
    this.#answeredAt = this.monotonic();
    return answer;
  }

  async #check(): Promise<void> {
    const start = this.monotonic();
    while (!(await this.isAnswering()) && this.monotonic() - start < LONGEST) await wait(STEP);
    this.#answeredAt = this.monotonic();
  }
}
