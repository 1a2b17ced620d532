import { NO_OLDER_SLOTS, OlderSlots } from '@/lib/limiter/older-slots';
import { findSlotExpiry, SLOTS, VISIBLE_SLOTS } from '@/lib/limiter/window';
import type { Millis, Seconds } from '@/lib/units';

/**
 * Hits of a key in each slot of a sliding window. Immutable.
 *
 * Slots after the present one mean that the clock went back. Hits less than a window ahead count as hits now (see
 * `settleSliding`), so a step back frees no capacity. Hits further ahead do not count, so a clock that was wrong by a day
 * locks no client out.
 */
export interface SlidingCounter {
  readonly kind: 'sliding';
  /** The newest slot. It usually has hits, but a slot that lost them is kept. */
  readonly newest: number;
  /** Hits in the newest slot. */
  readonly latest: number;
  /** Hits in the slots before the newest. At most 60 slots. */
  readonly older: OlderSlots;
}

/** A counter without hits. */
export const EMPTY_SLIDING: SlidingCounter = { kind: 'sliding', newest: 0, latest: 0, older: NO_OLDER_SLOTS };

/** @param hits hits of the newest slot, then of the slot before it, and so on */
export function createSliding(newest: number, [latest = 0, ...older]: readonly number[]): SlidingCounter {
  return createFromParts(newest, latest, older);
}

function createFromParts(newest: number, latest: number, older: readonly number[]): SlidingCounter {
  return {
    kind: 'sliding',
    newest,
    latest,
    older: older.length === 0 ? NO_OLDER_SLOTS : new OlderSlots(older),
  };
}

/** Lists the hits of the newest slot, then of the slot before it, and so on. */
export function listHits({ latest, older }: SlidingCounter): number[] {
  const hits = [latest];
  for (let i = 0; i < older.length; i += 1) hits.push(older.at(i));
  return hits;
}

/** Returns the hits of the slot that is `age` slots older than the newest. */
function countHitsAt({ latest, older }: SlidingCounter, age: number): number {
  return age === 0 ? latest : older.at(age - 1);
}

/**
 * Moves hits up to a window ahead of `slot` into `slot`. Such hits were made before now by a fast clock. They count for
 * one window from now on. A store that saves the result keeps the free times that it reported.
 * @returns the same counter if it has no hits ahead
 */
export function settleSliding(counter: SlidingCounter, slot: number): SlidingCounter {
  const { newest } = counter;
  if (newest <= slot) return counter;
  const present = newest - slot;
  let ahead = 0;
  for (let age = Math.max(0, present - SLOTS); age < present; age++)
    ahead = addSaturating(ahead, countHitsAt(counter, age));
  if (ahead === 0) return counter;
  const older = listHits(counter).slice(present + 1, present + VISIBLE_SLOTS);
  return createFromParts(slot, addSaturating(ahead, countHitsAt(counter, present)), older);
}

/** Settles a counter, and returns the ages that a window at `slot` covers. */
function findCoveredSlots(counter: SlidingCounter, slot: number) {
  const settled = settleSliding(counter, slot);
  const first = Math.max(0, settled.newest - slot);
  return { settled, first, end: Math.min(settled.older.length + 1, settled.newest - slot + VISIBLE_SLOTS) };
}

/** Counts the hits that a window at `slot` covers. */
export function countSliding(counter: SlidingCounter, slot: number): number {
  const { settled, first, end } = findCoveredSlots(counter, slot);
  let used = 0;
  for (let age = first; age < end; age++) used = addSaturating(used, countHitsAt(settled, age));
  return used;
}

/** Adds `cost` hits to `slot`. Drops slots that no window from `slot` on covers. */
export function addToSliding(counter: SlidingCounter, slot: number, cost: number): SlidingCounter {
  const settled = settleSliding(counter, slot);
  const { newest, latest, older } = settled;
  if (newest === slot && older.length <= SLOTS)
    return { kind: 'sliding', newest, latest: addSaturating(latest, cost), older };
  let oldest = Math.max(slot - SLOTS, newest - older.length);
  while (oldest < slot && countHitsAt(settled, newest - oldest) === 0) oldest++;
  const hits: number[] = [];
  for (let s = slot - 1; s >= oldest; s--) hits.push(countHitsAt(settled, newest - s));
  return createFromParts(slot, addSaturating(countHitsAt(settled, newest - slot), cost), hits);
}

/**
 * Removes up to `count` hits: first from `slot`, then from the slots before it. Hits lie in earlier slots if the clock
 * has gone back since. No slot goes below 0.
 */
export function takeBackSliding(counter: SlidingCounter, slot: number, count: number): SlidingCounter {
  const hits = listHits(counter);
  let left = count;
  for (let age = Math.max(0, counter.newest - slot); age < hits.length && left > 0; age++) {
    const taken = Math.min(left, hits[age] ?? 0);
    hits[age] = (hits[age] ?? 0) - taken;
    left -= taken;
  }
  return left === count ? counter : createSliding(counter.newest, hits);
}

/** Adds two counters, slot by slot. */
export function sumSliding(one: SlidingCounter, other: SlidingCounter): SlidingCounter {
  const newest = Math.max(one.newest, other.newest);
  const countHits = (counter: SlidingCounter, age: number) => countHitsAt(counter, age - (newest - counter.newest));
  const hits = Array.from({ length: VISIBLE_SLOTS }, (_, age) =>
    addSaturating(countHits(one, age), countHits(other, age)),
  );
  return createSliding(newest, hits);
}

/** Returns when the last hit leaves the window at `slot`, or null if the window is empty. */
export function findEmptyTime(counter: SlidingCounter, slot: number, seconds: Seconds): Millis | null {
  const { settled, first, end } = findCoveredSlots(counter, slot);
  for (let age = first; age < end; age++) {
    if (countHitsAt(settled, age) > 0) return findSlotExpiry(settled.newest - age, seconds);
  }
  return null;
}

/** Returns when at least `room` hits have left the window at `slot`, or null if it covers fewer. */
export function findFreeTime(counter: SlidingCounter, slot: number, seconds: Seconds, room: number): Millis | null {
  const { settled, first, end } = findCoveredSlots(counter, slot);
  let freed = 0;
  for (let age = end - 1; age >= first; age--) {
    freed += countHitsAt(settled, age);
    if (freed >= room) return findSlotExpiry(settled.newest - age, seconds);
  }
  return null;
}

/** Returns when no window covers any slot of the counter. */
export function findExpiry({ newest }: Pick<SlidingCounter, 'newest'>, seconds: Seconds): Millis {
  return findSlotExpiry(newest, seconds);
}

/** Adds two counts. Stops at 2^53 - 1, so that counts stay whole numbers. */
export function addSaturating(a: number, b: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, a + b);
}
