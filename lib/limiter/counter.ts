import type { Window } from '@/lib/limiter/meter';
import {
  addSaturating,
  EMPTY_SLIDING,
  findEmptyTime,
  findFreeTime,
  type SlidingCounter,
  settleSliding,
  sumSliding,
  takeBackSliding,
} from '@/lib/limiter/sliding-counter';
import { addToSlidingText, countSlidingText } from '@/lib/limiter/sliding-text';
import { computeCalendarMonth, computeMonthEnd, computeSlot } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** The hits of a key in one month. `floor` is the part of them that resets took out of the usage. */
export interface MonthCounter {
  readonly kind: 'month';
  readonly month: number;
  readonly hits: number;
  readonly floor: number;
}

export type Counter = SlidingCounter | MonthCounter;

/** A counter that a store looks up. */
export interface LookedUpCounter {
  readonly key: string;
  readonly window: Window;
  /** The stored state, or undefined if there is none. Set by the store. */
  stored?: Counter | undefined;
}

/** A counter that a group has changed. */
export interface ChangedCounter extends LookedUpCounter {
  readonly counter: Counter;
}

/** Creates a counter without hits. */
export function createEmptyCounter(window: Window, now: Millis): Counter {
  if (window.kind === 'month')
    return { kind: 'month', month: computeCalendarMonth(now, window.anchor), hits: 0, floor: 0 };
  return EMPTY_SLIDING;
}

/** Moves hits of a fast clock to `now` (see `settleSliding`). Returns the same counter if it has none. */
export function settleCounter(counter: Counter, window: Window, now: Millis): Counter {
  if (counter.kind !== 'sliding' || window.kind !== 'sliding') return counter;
  return settleSliding(counter, computeSlot(now, window.seconds));
}

/** Counts the hits that a window covers at `now`. */
export function countUsed(counter: Counter, window: Window, now: Millis): number {
  if (counter.kind === 'sliding') {
    return window.kind === 'sliding' ? countSlidingText(counter, computeSlot(now, window.seconds)) : 0;
  }
  const isPresent = window.kind === 'month' && counter.month === computeCalendarMonth(now, window.anchor);
  return isPresent ? Math.max(0, counter.hits - counter.floor) : 0;
}

/** Adds `cost` hits at `now`. A counter of another kind or month starts from 0. */
export function addHits(counter: Counter, window: Window, now: Millis, cost: number): Counter {
  if (window.kind === 'sliding') {
    return addToSlidingText(
      counter.kind === 'sliding' ? counter : EMPTY_SLIDING,
      computeSlot(now, window.seconds),
      cost,
    );
  }
  const month = computeCalendarMonth(now, window.anchor);
  const before = counter.kind === 'month' && counter.month === month ? counter : { hits: 0, floor: 0 };
  return { kind: 'month', month, hits: addSaturating(before.hits, cost), floor: before.floor };
}

/**
 * Removes up to `cost` hits that were counted at `at`. A month never goes below its floor, and hits of another month
 * stay.
 */
export function takeBackHits(counter: Counter, window: Window, at: Millis, cost: number): Counter {
  if (counter.kind === 'sliding') {
    return window.kind === 'sliding' ? takeBackSliding(counter, computeSlot(at, window.seconds), cost) : counter;
  }
  if (window.kind !== 'month' || counter.month !== computeCalendarMonth(at, window.anchor)) return counter;
  return { ...counter, hits: Math.max(Math.min(counter.hits, counter.floor), counter.hits - cost) };
}

/**
 * Corrects `cost` hits that were counted at `at` to `used`. Takes back unused hits from the slot of `at`, and adds others
 * in the slot of `now`.
 */
export function correctHits(
  counter: Counter,
  window: Window,
  { at, cost, used = 0 }: { at: Millis; cost: number; used?: number },
  now: Millis,
): Counter {
  if (used > cost) return addHits(counter, window, now, used - cost);
  return used < cost ? takeBackHits(counter, window, at, cost - used) : counter;
}

/** Adds two counters of one key, slot by slot. If their months differ, the later counter is returned. */
export function sumCounters(one: Counter, other: Counter): Counter {
  if (one.kind === 'sliding' && other.kind === 'sliding') return sumSliding(one, other);
  if (one.kind === 'sliding' || other.kind === 'sliding') return one;
  if (one.month !== other.month) return one.month > other.month ? one : other;
  return { ...one, hits: addSaturating(one.hits, other.hits), floor: one.floor + other.floor };
}

/** Returns when the window as of `now` will be empty if no requests follow, or `now` if it is empty already. */
export function findReset(counter: Counter, window: Window, now: Millis): Millis {
  if (window.kind === 'month') return countUsed(counter, window, now) > 0 ? computeMonthEnd(now, window.anchor) : now;
  if (counter.kind === 'month') return now;
  return findEmptyTime(counter, computeSlot(now, window.seconds), window.seconds) ?? now;
}

/** Returns when `cost` will fit under `limit` if no requests follow. Requires a cost that does not fit at `now`. */
export function findRetryTime(counter: Counter, window: Window, now: Millis, limit: number, cost: number): Millis {
  if (cost > limit) return Number.POSITIVE_INFINITY;
  if (window.kind === 'month') return computeMonthEnd(now, window.anchor);
  if (counter.kind === 'month') return now;
  const slot = computeSlot(now, window.seconds);
  const room = countSlidingText(counter, slot) + cost - limit;
  return findFreeTime(counter, slot, window.seconds, room) ?? now;
}
