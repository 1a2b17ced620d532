import type { Limit } from '@/lib/contract/policies';
import type { Decision } from '@/lib/enforcement/decision';
import type { Facts } from '@/lib/enforcement/plan';
import { secondsUntil } from '@/lib/enforcement/refusal';
import {
  addToSliding,
  countSliding,
  EMPTY_SLIDING,
  findFreeTime,
  settleSliding,
  takeBackSliding,
} from '@/lib/limiter/sliding-counter';
import { SLOTS, slotAt } from '@/lib/limiter/window';
import type { DecisionSpan } from '@/lib/tracing/tracing';
import type { Millis, Seconds } from '@/lib/units';

/** One sliding window in memory: the limit of the whole instance (policy `global`). */
export class GlobalThrottle {
  #counter = EMPTY_SLIDING;
  #seconds: Seconds = 0;

  /**
   * Admits one request, or refuses it (`retryAt` is set then, and nothing is consumed). The limit may change from call to
   * call; another window length restarts from 0.
   */
  take(limit: number, seconds: Seconds, now: Millis): { used: number; retryAt: Millis | null } {
    if (seconds !== this.#seconds) {
      this.#seconds = seconds;
      this.#counter = EMPTY_SLIDING;
    }
    const slot = slotAt(now, seconds);
    this.#counter = settleSliding(this.#counter, slot);
    const used = countSliding(this.#counter, slot);
    if (used >= limit) {
      const retryAt = findFreeTime(this.#counter, slot, seconds, used + 1 - limit) ?? Number.POSITIVE_INFINITY;
      return { used, retryAt };
    }
    this.#counter = addToSliding(this.#counter, slot, 1);
    return { used: used + 1, retryAt: null };
  }

  /** What the window holds, without taking. */
  used(seconds: Seconds, now: Millis): number {
    return seconds === this.#seconds ? countSliding(this.#counter, slotAt(now, seconds)) : 0;
  }

  /** Undoes `count` admissions of `take`, all made at the time `at` and with this window length. */
  giveBack(count: number, seconds: Seconds, at: Millis, now: Millis): void {
    const slot = slotAt(at, seconds);
    // Counted with another window length, or expired: nothing is left of it.
    if (seconds !== this.#seconds || slotAt(now, seconds) - slot > SLOTS) return;
    this.#counter = takeBackSliding(this.#counter, slot, count);
  }
}

/** A request that waits for its decision. */
export interface PendingRequest {
  facts: Facts;
  /** By the monotonic clock. */
  submittedAt: Millis;
  /** Where the submission is traced. */
  span?: DecisionSpan;
  /** Whether this instance serves the request itself: only then its throttle counts it. */
  served: boolean;
}

/** One group of requests under the throttle of the instance. */
export class ThrottledGroup {
  #counted: { requests: number; seconds: Seconds; at: Millis } | null = null;
  /** By request the seconds to wait; null for an admitted one. */
  #waits: readonly (Seconds | null)[] = [];
  #admitted: readonly Facts[] = [];

  constructor(
    private readonly throttle: GlobalThrottle,
    private readonly requests: readonly PendingRequest[],
  ) {}

  /** Counts the group by the present limit; a group that is decided again is counted once. @returns the admitted */
  admit({ limit, window_seconds: seconds }: Limit, now: Millis): readonly Facts[] {
    const before = this.#counted;
    if (before !== null) this.throttle.giveBack(before.requests, before.seconds, before.at, now);
    if (!this.requests.some(({ served }) => served)) return this.#admitAll(seconds, now);
    const admitted: Facts[] = [];
    let requests = 0;
    this.#waits = this.requests.map(({ served, facts }) => {
      const retryAt = served ? this.throttle.take(limit, seconds, now).retryAt : null;
      if (retryAt !== null) return Number.isFinite(retryAt) ? secondsUntil(retryAt, now) : seconds;
      if (served) requests += 1;
      admitted.push(facts);
      return null;
    });
    this.#counted = { requests, seconds, at: now };
    this.#admitted = admitted;
    return admitted;
  }

  /** Of the decision API: another server serves them all. */
  #admitAll(seconds: Seconds, at: Millis): readonly Facts[] {
    this.#waits = [];
    this.#counted = { requests: 0, seconds, at };
    this.#admitted = this.requests.map(({ facts }) => facts);
    return this.#admitted;
  }

  /** The admitted, as counted before; counts the group now if it was not. */
  admitOnce(limit: Limit, now: Millis): readonly Facts[] {
    return this.#counted === null ? this.admit(limit, now) : this.#admitted;
  }

  /** Merges throttle refusals with the decisions on the admitted requests, in request order. */
  merge(
    decided: readonly Decision[],
    refuse: (facts: Facts, at: Millis, retryAfter: Seconds) => Decision,
  ): readonly Decision[] {
    if (decided.length === this.requests.length) return decided;
    const at = this.#counted?.at ?? 0;
    let next = 0;
    return this.requests.map(({ facts }, index) => {
      const wait = this.#waits[index] ?? null;
      const decision = wait === null ? decided[next++] : refuse(facts, at, wait);
      if (decision === undefined) throw new Error('A request was left without a decision.');
      return decision;
    });
  }
}
