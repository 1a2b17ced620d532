import type { Millis, Seconds } from '@/lib/limiter/meter';
import { SLOTS, slotGone } from '@/lib/limiter/window';

/**
 * What a key had in each slot of a sliding window. Immutable. Slots after the present one are possible (the clock went
 * back): they are kept while they are less than a window ahead, but nothing counts them before their time.
 */
export interface SlidingCounter {
  readonly kind: 'sliding';
  /** The newest slot with hits; of no meaning while `hits` is empty. */
  readonly newest: number;
  /** `hits[i]` is what slot `newest - i` counted; at most 121 of them. */
  readonly hits: readonly number[];
}

export const EMPTY_SLIDING: SlidingCounter = { kind: 'sliding', newest: 0, hits: [] };

/** The index of the newest slot that a window at `slot` counts; the indices below it are in the future. */
function firstVisible(counter: SlidingCounter, slot: number): number {
  return Math.max(0, counter.newest - slot);
}

/** The index after the oldest slot that a window at `slot` counts. */
function endVisible(counter: SlidingCounter, slot: number): number {
  return Math.min(counter.hits.length, counter.newest - slot + SLOTS + 1);
}

/** The sum over the window that ends in `slot`. */
export function slidingUsed(counter: SlidingCounter, slot: number): number {
  let used = 0;
  const end = endVisible(counter, slot);
  for (let i = firstVisible(counter, slot); i < end; i++) used += counter.hits[i] ?? 0;
  return used;
}

/** The counter with `cost` more in `slot`. What no window from `slot` on can see is left out. */
export function slidingAdd(counter: SlidingCounter, slot: number, cost: number): SlidingCounter {
  const { newest, hits } = counter;
  if (newest === slot && hits.length > 0 && hits.length <= SLOTS + 1) {
    const next = hits.slice();
    next[0] = saturatingSum(next[0] ?? 0, cost);
    return { kind: 'sliding', newest: slot, hits: next };
  }
  const ahead = hits.length > 0 && newest > slot && newest - slot <= SLOTS ? newest - slot : 0;
  const top = slot + ahead;
  const next: number[] = [];
  for (let s = top; s >= slot - SLOTS; s--) next.push(hits[newest - s] ?? 0);
  next[ahead] = saturatingSum(next[ahead] ?? 0, cost);
  while (next.length > ahead + 1 && next[next.length - 1] === 0) next.pop();
  return { kind: 'sliding', newest: top, hits: next };
}

/** When the last of what the window at `slot` counts has left it; null when it counts nothing. */
export function slidingEmptyAt(counter: SlidingCounter, slot: number, seconds: Seconds): Millis | null {
  const end = endVisible(counter, slot);
  for (let i = firstVisible(counter, slot); i < end; i++) {
    if ((counter.hits[i] ?? 0) > 0) return slotGone(counter.newest - i, seconds);
  }
  return null;
}

/** When at least `room` of what the window at `slot` counts will have left it; null when it never counts that much. */
export function slidingFreeAt(counter: SlidingCounter, slot: number, seconds: Seconds, room: number): Millis | null {
  let freed = 0;
  for (let i = endVisible(counter, slot) - 1; i >= firstVisible(counter, slot); i--) {
    freed += counter.hits[i] ?? 0;
    if (freed >= room) return slotGone(counter.newest - i, seconds);
  }
  return null;
}

/** When no window sees any slot of the counter any more. */
export function slidingExpires(counter: SlidingCounter, seconds: Seconds): Millis {
  return slotGone(counter.newest, seconds);
}

/** Counts stay whole numbers: they stop at 2^53 - 1. */
export function saturatingSum(a: number, b: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, a + b);
}
