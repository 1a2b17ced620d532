import type { Reading } from '@/lib/limiter/meter';
import {
  EMPTY_SLIDING,
  type SlidingCounter,
  slidingAdd,
  slidingEmptyAt,
  slidingFreeAt,
  slidingSettled,
  slidingTakenBack,
  slidingUsed,
} from '@/lib/limiter/sliding-counter';
import { SLOTS, slotAt } from '@/lib/limiter/window';
import type { Millis, Seconds } from '@/lib/units';

/** One sliding window in memory: the limit of the whole instance. */
export class GlobalThrottle {
  #counter: SlidingCounter = EMPTY_SLIDING;
  #seconds: Seconds = 0;

  /**
   * Admits one request, or refuses it (`retryAt` is set then, and nothing is consumed). The limit may change from call to
   * call; another window length restarts from 0.
   */
  take(limit: number, seconds: Seconds, now: Millis): Reading {
    if (seconds !== this.#seconds) {
      this.#seconds = seconds;
      this.#counter = EMPTY_SLIDING;
    }
    const slot = slotAt(now, seconds);
    this.#counter = slidingSettled(this.#counter, slot);
    const before = slidingUsed(this.#counter, slot);
    const admitted = before < limit;
    if (admitted) this.#counter = slidingAdd(this.#counter, slot, 1);
    const used = admitted ? before + 1 : before;
    return {
      limit,
      used,
      remaining: Math.max(0, limit - used),
      reset: slidingEmptyAt(this.#counter, slot, seconds) ?? now,
      retryAt: admitted
        ? null
        : (slidingFreeAt(this.#counter, slot, seconds, before + 1 - limit) ?? Number.POSITIVE_INFINITY),
    };
  }

  /** Undoes `count` admissions of `take`, all made at the time `at` and with this window length. */
  giveBack(count: number, seconds: Seconds, at: Millis, now: Millis): void {
    const slot = slotAt(at, seconds);
    // Counted with another window length, or expired: nothing is left of it.
    if (seconds !== this.#seconds || slotAt(now, seconds) - slot > SLOTS) return;
    this.#counter = slidingTakenBack(this.#counter, slot, count);
  }
}
