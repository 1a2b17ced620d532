import type { Window } from '@/lib/limiter/meter';
import { monthAt, monthEnd, SLOTS, slotAt, slotGone } from '@/lib/limiter/window';
import type { Millis, Seconds } from '@/lib/units';

/**
 * The hits of a key in each slot of a sliding window. Immutable. Slots after the present one mean that the clock went
 * back: those less than a window ahead count as hit now (see `slidingSettled`), so a step back opens no room; those
 * further ahead do not count, so a clock that was wrong by a day locks no client out.
 */
export interface SlidingCounter {
  readonly kind: 'sliding';
  /** The newest slot with hits; meaningless while `hits` is empty. */
  readonly newest: number;
  /** `hits[i]` are those of slot `newest - i`; at most 61. */
  readonly hits: readonly number[];
}

/** The hits of a key in one month. `floor` is how many of them a reset has taken out of its usage. */
export interface MonthCounter {
  readonly kind: 'month';
  readonly month: number;
  readonly hits: number;
  readonly floor: number;
}

export type Counter = SlidingCounter | MonthCounter;

export const EMPTY_SLIDING: SlidingCounter = { kind: 'sliding', newest: 0, hits: [] };

/** A counter that has counted nothing. */
export function emptyCounter(window: Window, now: Millis): Counter {
  if (window.kind === 'month') return { kind: 'month', month: monthAt(now, window.anchor), hits: 0, floor: 0 };
  return EMPTY_SLIDING;
}

/** The counter with the hits of a clock that was ahead moved to `now`, see `slidingSettled`; itself without any. */
export function settledAt(counter: Counter, window: Window, now: Millis): Counter {
  if (counter.kind !== 'sliding' || window.kind !== 'sliding') return counter;
  return slidingSettled(counter, slotAt(now, window.seconds));
}

/** What a window sees of the counter at `now`. */
export function usedAt(counter: Counter, window: Window, now: Millis): number {
  if (counter.kind === 'sliding') {
    return window.kind === 'sliding' ? slidingUsed(counter, slotAt(now, window.seconds)) : 0;
  }
  const isPresent = window.kind === 'month' && counter.month === monthAt(now, window.anchor);
  return isPresent ? Math.max(0, counter.hits - counter.floor) : 0;
}

/** The counter with `cost` more at `now`. One of another kind or month starts from 0. */
export function addTo(counter: Counter, window: Window, now: Millis, cost: number): Counter {
  if (window.kind === 'sliding') {
    return slidingAdd(counter.kind === 'sliding' ? counter : EMPTY_SLIDING, slotAt(now, window.seconds), cost);
  }
  const month = monthAt(now, window.anchor);
  const before = counter.kind === 'month' && counter.month === month ? counter : { hits: 0, floor: 0 };
  return { kind: 'month', month, hits: saturatingSum(before.hits, cost), floor: before.floor };
}

/**
 * The counter with up to `cost` fewer, as they were counted at `at`. Never below what resets have taken out, and nothing
 * of another month.
 */
export function takenBack(counter: Counter, window: Window, at: Millis, cost: number): Counter {
  if (counter.kind === 'sliding') {
    return window.kind === 'sliding' ? slidingTakenBack(counter, slotAt(at, window.seconds), cost) : counter;
  }
  if (window.kind !== 'month' || counter.month !== monthAt(at, window.anchor)) return counter;
  return { ...counter, hits: Math.max(Math.min(counter.hits, counter.floor), counter.hits - cost) };
}

/** What two counters of one key have counted together, slot by slot. The later month, where they are not of one. */
export function sumOf(one: Counter, other: Counter): Counter {
  if (one.kind === 'sliding' && other.kind === 'sliding') return slidingSum(one, other);
  if (one.kind === 'sliding' || other.kind === 'sliding') return one;
  if (one.month !== other.month) return one.month > other.month ? one : other;
  return { ...one, hits: saturatingSum(one.hits, other.hits), floor: one.floor + other.floor };
}

/** When everything the window sees at `now` has left it; `now` when it sees nothing. */
export function resetAt(counter: Counter, window: Window, now: Millis): Millis {
  if (window.kind === 'month') return usedAt(counter, window, now) > 0 ? monthEnd(now, window.anchor) : now;
  if (counter.kind === 'month') return now;
  return slidingEmptyAt(counter, slotAt(now, window.seconds), window.seconds) ?? now;
}

/** When `cost` will fit under `limit` if nothing more is sent. Only for a cost that does not fit at `now`. */
export function fitsAt(counter: Counter, window: Window, now: Millis, limit: number, cost: number): Millis {
  if (cost > limit) return Number.POSITIVE_INFINITY;
  if (window.kind === 'month') return monthEnd(now, window.anchor);
  if (counter.kind === 'month') return now;
  const slot = slotAt(now, window.seconds);
  const room = slidingUsed(counter, slot) + cost - limit;
  return slidingFreeAt(counter, slot, window.seconds, room) ?? now;
}

/**
 * The counter with hits up to a window ahead of `slot` moved into `slot`: they were made before now, whatever the clock
 * said then, so from now on they count for one window and no longer. A store that saves the result keeps its promise of
 * when room comes back. The counter itself when there are none.
 */
export function slidingSettled(counter: SlidingCounter, slot: number): SlidingCounter {
  const { newest, hits } = counter;
  if (newest <= slot || hits.length === 0) return counter;
  const present = newest - slot;
  let ahead = 0;
  for (let i = Math.max(0, present - SLOTS); i < present; i++) ahead = saturatingSum(ahead, hits[i] ?? 0);
  if (ahead === 0) return counter;
  const kept = [saturatingSum(ahead, hits[present] ?? 0), ...hits.slice(present + 1, present + SLOTS + 1)];
  return { kind: 'sliding', newest: slot, hits: kept };
}

/** The indices in `hits` of a settled counter that a window at `slot` counts. */
function visible({ newest, hits }: SlidingCounter, slot: number): { first: number; end: number } {
  return { first: Math.max(0, newest - slot), end: Math.min(hits.length, newest - slot + SLOTS + 1) };
}

/** What a window at `slot` counts. */
export function slidingUsed(counter: SlidingCounter, slot: number): number {
  const settled = slidingSettled(counter, slot);
  const { first, end } = visible(settled, slot);
  let used = 0;
  for (let i = first; i < end; i++) used = saturatingSum(used, settled.hits[i] ?? 0);
  return used;
}

/** The counter with `cost` more in `slot`, without slots that no window from `slot` on can see. */
export function slidingAdd(counter: SlidingCounter, slot: number, cost: number): SlidingCounter {
  const { newest, hits } = slidingSettled(counter, slot);
  if (newest === slot && hits.length > 0 && hits.length <= SLOTS + 1) {
    const next = hits.slice();
    next[0] = saturatingSum(next[0] ?? 0, cost);
    return { kind: 'sliding', newest: slot, hits: next };
  }
  const next = [saturatingSum(hits[newest - slot] ?? 0, cost)];
  let oldest = Math.max(slot - SLOTS, newest - hits.length + 1);
  while (oldest < slot && (hits[newest - oldest] ?? 0) === 0) oldest++;
  for (let s = slot - 1; s >= oldest; s--) next.push(hits[newest - s] ?? 0);
  return { kind: 'sliding', newest: slot, hits: next };
}

/**
 * The counter with up to `count` fewer hits: of `slot`, then of the slots before it, where they are when the clock has
 * gone back since. No slot goes below 0.
 */
export function slidingTakenBack(counter: SlidingCounter, slot: number, count: number): SlidingCounter {
  const hits = counter.hits.slice();
  let left = count;
  for (let i = Math.max(0, counter.newest - slot); i < hits.length && left > 0; i++) {
    const taken = Math.min(left, hits[i] ?? 0);
    hits[i] = (hits[i] ?? 0) - taken;
    left -= taken;
  }
  return { kind: 'sliding', newest: counter.newest, hits };
}

function slidingSum(one: SlidingCounter, other: SlidingCounter): SlidingCounter {
  if (one.hits.length === 0) return other;
  if (other.hits.length === 0) return one;
  const newest = Math.max(one.newest, other.newest);
  const hitsIn = ({ newest: first, hits }: SlidingCounter, slot: number) => hits[first - slot] ?? 0;
  const hits = Array.from({ length: SLOTS + 1 }, (_, age) =>
    saturatingSum(hitsIn(one, newest - age), hitsIn(other, newest - age)),
  );
  return { kind: 'sliding', newest, hits };
}

/** When the last hit that the window at `slot` counts leaves it; null when it counts none. */
export function slidingEmptyAt(counter: SlidingCounter, slot: number, seconds: Seconds): Millis | null {
  const settled = slidingSettled(counter, slot);
  const { first, end } = visible(settled, slot);
  for (let i = first; i < end; i++) {
    if ((settled.hits[i] ?? 0) > 0) return slotGone(settled.newest - i, seconds);
  }
  return null;
}

/** When at least `room` of the hits that the window at `slot` counts have left it; null when it counts fewer. */
export function slidingFreeAt(counter: SlidingCounter, slot: number, seconds: Seconds, room: number): Millis | null {
  const settled = slidingSettled(counter, slot);
  const { first, end } = visible(settled, slot);
  let freed = 0;
  for (let i = end - 1; i >= first; i--) {
    freed += settled.hits[i] ?? 0;
    if (freed >= room) return slotGone(settled.newest - i, seconds);
  }
  return null;
}

/** When no window sees any slot of the counter any more. */
export function slidingExpires({ newest }: Pick<SlidingCounter, 'newest'>, seconds: Seconds): Millis {
  return slotGone(newest, seconds);
}

/** Stops at 2^53 - 1, so that counts stay whole numbers. */
export function saturatingSum(a: number, b: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, a + b);
}
