import type { Limit } from '@/lib/contract/policies';
import type { Decision } from '@/lib/enforcement/decision';
import type { Facts } from '@/lib/enforcement/plan';
import { countSecondsUntil } from '@/lib/enforcement/refusal';
import {
  addToSliding,
  EMPTY_SLIDING,
  findFreeTime,
  settleSliding,
  takeBackSliding,
} from '@/lib/limiter/sliding-counter';
import { countSlidingText } from '@/lib/limiter/sliding-text';
import { computeSlot, SLOTS } from '@/lib/limiter/window';
import type { DecisionSpan } from '@/lib/tracing/tracing';
import type { Millis, Seconds } from '@/lib/units';

/** The limit of the whole instance (policy `global`): one sliding window in memory. */
export class GlobalThrottle {
  #counter = EMPTY_SLIDING;
  #seconds: Seconds = 0;

  /**
   * Admits one request, or refuses it without consuming anything (`retryAt` is set then). The limit may change between
   * calls. Another window length restarts from 0.
   */
  take(limit: number, seconds: Seconds, now: Millis): { used: number; retryAt: Millis | null } {
    if (seconds !== this.#seconds) {
      this.#seconds = seconds;
      this.#counter = EMPTY_SLIDING;
    }
    const slot = computeSlot(now, seconds);
    this.#counter = settleSliding(this.#counter, slot);
    const used = countSlidingText(this.#counter, slot);
    if (used >= limit) {
      const retryAt = findFreeTime(this.#counter, slot, seconds, used + 1 - limit) ?? Number.POSITIVE_INFINITY;
      return { used, retryAt };
    }
    this.#counter = addToSliding(this.#counter, slot, 1);
    return { used: used + 1, retryAt: null };
  }

  /** Returns the count of the window. Consumes nothing. */
  countHits(seconds: Seconds, now: Millis): number {
    return seconds === this.#seconds ? countSlidingText(this.#counter, computeSlot(now, seconds)) : 0;
  }

  /** Undoes `count` admissions of `take`, all made at the time `at` and with this window length. */
  undoAdmissions(count: number, seconds: Seconds, at: Millis, now: Millis): void {
    const slot = computeSlot(at, seconds);
    // Counts of another window length, and expired counts, are gone already.
    if (seconds !== this.#seconds || computeSlot(now, seconds) - slot > SLOTS) return;
    this.#counter = takeBackSliding(this.#counter, slot, count);
  }
}

/** A request that waits for its decision. */
export interface PendingRequest {
  facts: Facts;
  /** Time of submission, by the monotonic clock. */
  submittedAt: Millis;
  /** Span of the submission, if it is traced. */
  span?: DecisionSpan;
  /** True if this instance serves the request itself. Only then its throttle counts the request. */
  served: boolean;
}

/** One group of requests under the throttle of the instance. */
export class ThrottledGroup {
  #counted: { requests: number; seconds: Seconds; at: Millis } | null = null;
  /** Seconds to wait, for each request. Null if the request is admitted. */
  #waits: readonly (Seconds | null)[] = [];
  #admitted: readonly Facts[] = [];

  constructor(
    private readonly throttle: GlobalThrottle,
    private readonly requests: readonly PendingRequest[],
  ) {}

  /**
   * Counts the group under the current limit. A group that is decided again is counted only once. @returns the admitted
   * requests
   */
  admit({ limit, window_seconds: seconds }: Limit, now: Millis): readonly Facts[] {
    const before = this.#counted;
    if (before !== null) this.throttle.undoAdmissions(before.requests, before.seconds, before.at, now);
    if (!this.requests.some(({ served }) => served)) return this.#admitAll(seconds, now);
    const admitted: Facts[] = [];
    let requests = 0;
    this.#waits = this.requests.map(({ served, facts }) => {
      const retryAt = served ? this.throttle.take(limit, seconds, now).retryAt : null;
      if (retryAt !== null) return Number.isFinite(retryAt) ? countSecondsUntil(retryAt, now) : seconds;
      if (served) requests += 1;
      admitted.push(facts);
      return null;
    });
    this.#counted = { requests, seconds, at: now };
    this.#admitted = admitted;
    return admitted;
  }

  /** Admits all requests of the decision API, because another server serves them. */
  #admitAll(seconds: Seconds, at: Millis): readonly Facts[] {
    this.#waits = [];
    this.#counted = { requests: 0, seconds, at };
    this.#admitted = this.requests.map(({ facts }) => facts);
    return this.#admitted;
  }

  /** Returns the admitted requests of the last count. Counts the group if that has not happened. */
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
