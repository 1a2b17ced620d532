import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packOlder } from '@/lib/counters/slots-text';
import {
  addSaturating,
  addToSliding,
  countSliding,
  createSliding,
  EMPTY_SLIDING,
  findEmptyTime,
  findExpiry,
  findFreeTime,
  listHits,
  type SlidingCounter,
  settleSliding,
  takeBackSliding,
} from '@/lib/limiter/sliding-counter';
import { addToSlidingText, countSlidingText } from '@/lib/limiter/sliding-text';
import { findSlotExpiry } from '@/lib/limiter/window';

/** A window of a minute: a slot is a second. */
const SECONDS = 60;
const SLOT = 10_000;

/** What was counted in slots, given by how many slots ago. */
function counted(...hits: [ago: number, cost: number][]): SlidingCounter {
  return hits.reduce((counter, [ago, cost]) => addToSliding(counter, SLOT - ago, cost), EMPTY_SLIDING);
}

describe('a sliding window', () => {
  it('adds up its 60 slots and the one that is just leaving', () => {
    const counter = counted([60, 1], [59, 2], [30, 4], [0, 8]);
    expect(countSliding(counter, SLOT)).toBe(15);
    expect(countSliding(counter, SLOT + 1)).toBe(14);
    expect(countSliding(counter, SLOT + 2)).toBe(12);
    expect(countSliding(counter, SLOT + 60)).toBe(8);
    expect(countSliding(counter, SLOT + 61)).toBe(0);
    expect(countSliding(EMPTY_SLIDING, SLOT)).toBe(0);
  });

  it('keeps what a later slot still sees, and nothing that none sees', () => {
    expect(listHits(counted([60, 1], [0, 1]))).toHaveLength(61);
    expect(counted([61, 1], [0, 1])).toEqual(createSliding(SLOT, [1]));
    expect(listHits(counted([45, 3], [44, 5], [3, 1]))).toHaveLength(43);
    expect(listHits(addToSliding(counted([45, 3], [3, 1]), SLOT + 20, 1))).toHaveLength(24);
  });

  it('adds within one slot and over several', () => {
    expect(counted([0, 2], [0, 3])).toEqual(createSliding(SLOT, [5]));
    expect(counted([3, 2], [0, 3])).toEqual(createSliding(SLOT, [3, 0, 0, 2]));
  });

  it.each([
    ['numbers', addToSliding, countSliding],
    ['texts', addToSlidingText, countSlidingText],
  ])('has in each slot what was added there, however many hits that are: %s', (_, add, count) => {
    const cost = fc.oneof(fc.nat(3), fc.constantFrom(90, 91, 8_280, 8_281, 753_571), fc.maxSafeNat());
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.oneof(fc.nat(3), fc.nat(70)), cost), { maxLength: 80 }), (additions) => {
        let counter = EMPTY_SLIDING;
        let slot = SLOT;
        const expected = new Map<number, number>();
        for (const [later, cost] of additions) {
          slot += later;
          counter = add(counter, slot, cost);
          // As the journal does with what is packed.
          packOlder(counter.older);
          expected.set(slot, Math.min(Number.MAX_SAFE_INTEGER, (expected.get(slot) ?? 0) + cost));
        }
        const seen = Array.from({ length: 61 }, (_, age) => expected.get(slot - age) ?? 0);
        const hits = listHits(counter);
        expect(hits.length).toBeLessThanOrEqual(61);
        expect([...hits, ...Array(61 - hits.length).fill(0)]).toEqual(seen);
        expect(hits.length === 1 || hits.at(-1)).not.toBe(0);
        for (const later of [0, 1, 30, 60, 61])
          expect(count(counter, slot + later)).toBe(
            seen.slice(0, 61 - later).reduce((sum, hits) => Math.min(Number.MAX_SAFE_INTEGER, sum + hits), 0),
          );
      }),
    );
  });

  it('counts what lies up to a window ahead as if it were hit now: the clock went back', () => {
    const counter = counted([3, 2], [0, 3]);
    expect(countSliding(counter, SLOT - 1)).toBe(5);
    expect(countSliding(counter, SLOT - 60)).toBe(5);
    expect(countSliding(counter, SLOT - 61)).toBe(2);
    expect(countSliding(counter, SLOT - 64)).toBe(0);
    expect(addToSliding(counter, SLOT - 3, 7)).toEqual(createSliding(SLOT - 3, [12]));
    expect(addToSliding(counted([0, 3]), SLOT - 60, 1)).toEqual(createSliding(SLOT - 60, [4]));
    expect(addToSliding(counted([0, 3]), SLOT - 61, 1)).toEqual(createSliding(SLOT - 61, [1]));
  });

  it('is settled once, and stays the same object where there is nothing to settle', () => {
    const counter = counted([30, 1], [3, 2], [0, 3]);
    for (const same of [settleSliding(counter, SLOT), settleSliding(counter, SLOT + 70)]) expect(same).toBe(counter);
    expect(settleSliding(counter, SLOT - 100)).toBe(counter);
    expect(settleSliding(EMPTY_SLIDING, -1)).toBe(EMPTY_SLIDING);
    const settled = settleSliding(counter, SLOT - 2);
    expect(settled.newest).toBe(SLOT - 2);
    expect(listHits(settled).slice(0, 3)).toEqual([3, 2, 0]);
    expect(countSliding(settled, SLOT - 2)).toBe(6);
    // Only what a window at the present slot still sees is kept.
    expect(listHits(settleSliding(counted([55, 9], [0, 3]), SLOT - 10))).toHaveLength(46);
  });

  it('leaves the counter that it adds to as it was', () => {
    const before = counted([3, 2], [0, 3]);
    const copy = [before.newest, ...listHits(before)];
    addToSliding(before, SLOT, 1);
    addToSliding(before, SLOT + 5, 1);
    expect([before.newest, ...listHits(before)]).toEqual(copy);
  });
});

describe('what a sliding window takes back', () => {
  const counter = counted([5, 2], [3, 4], [0, 3]);
  const left = (slot: number, count: number) => listHits(takeBackSliding(counter, slot, count));

  it('comes from its slot', () => {
    expect(left(SLOT, 2)).toEqual([1, 0, 0, 4, 0, 2]);
    expect(left(SLOT - 3, 2)).toEqual([3, 0, 0, 2, 0, 2]);
  });

  it('comes from the slots before it where that has too few, and never leaves less than none', () => {
    expect(left(SLOT, 5)).toEqual([0, 0, 0, 2, 0, 2]);
    expect(left(SLOT - 3, 5)).toEqual([3, 0, 0, 0, 0, 1]);
    expect(left(SLOT, 100)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(left(SLOT + 4, 3)).toEqual([0, 0, 0, 4, 0, 2]);
    expect(left(SLOT - 9, 3)).toEqual(listHits(counter));
    expect(left(SLOT, 0)).toEqual(listHits(counter));
  });
});

describe('the room of a sliding window comes back', () => {
  const counter = counted([50, 2], [40, 3], [10, 5]);
  const gone = (ago: number) => findSlotExpiry(SLOT - ago, SECONDS);

  it.each([
    [1, 50],
    [2, 50],
    [3, 40],
    [5, 40],
    [6, 10],
    [10, 10],
  ])('by %i when the slots of at least as many have left', (room, ago) => {
    expect(findFreeTime(counter, SLOT, SECONDS, room)).toBe(gone(ago));
  });

  it('never by more than was counted', () => {
    expect(findFreeTime(counter, SLOT, SECONDS, 11)).toBeNull();
    expect(findFreeTime(EMPTY_SLIDING, SLOT, SECONDS, 1)).toBeNull();
    expect(findFreeTime(counter, SLOT + 11, SECONDS, 9)).toBeNull();
    expect(findFreeTime(counter, SLOT + 11, SECONDS, 8)).toBe(gone(10));
  });

  it('as a whole when the newest slot with hits has left', () => {
    expect(findEmptyTime(counter, SLOT, SECONDS)).toBe(gone(10));
    expect(findEmptyTime(takeBackSliding(counter, SLOT - 10, 5), SLOT, SECONDS)).toBe(gone(40));
    expect(findEmptyTime(counter, SLOT + 51, SECONDS)).toBeNull();
    expect(findEmptyTime(counter, SLOT + 50, SECONDS)).toBe(gone(10));
    expect(findEmptyTime(EMPTY_SLIDING, SLOT, SECONDS)).toBeNull();
    expect(findExpiry(counter, SECONDS)).toBe(gone(10));
  });
});

describe('a sum of counts', () => {
  it('stops at the largest whole number', () => {
    expect(addSaturating(2, 3)).toBe(5);
    expect(addSaturating(2, -3)).toBe(-1);
    expect(addSaturating(Number.MAX_SAFE_INTEGER - 1, 5)).toBe(Number.MAX_SAFE_INTEGER);
    expect(countSliding(counted([0, Number.MAX_SAFE_INTEGER], [0, 7]), SLOT)).toBe(Number.MAX_SAFE_INTEGER);
  });
});
