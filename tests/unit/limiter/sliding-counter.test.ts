import { describe, expect, it } from 'vitest';
import {
  EMPTY_SLIDING,
  type SlidingCounter,
  saturatingSum,
  slidingAdd,
  slidingEmptyAt,
  slidingExpires,
  slidingFreeAt,
  slidingUsed,
} from '@/lib/limiter/sliding-counter';
import { slotGone } from '@/lib/limiter/window';

/** A window of a minute: a slot is a second. */
const SECONDS = 60;
const SLOT = 10_000;

/** What was counted in slots, given by how many slots ago. */
function counted(...hits: [ago: number, cost: number][]): SlidingCounter {
  return hits.reduce((counter, [ago, cost]) => slidingAdd(counter, SLOT - ago, cost), EMPTY_SLIDING);
}

describe('a sliding window', () => {
  it('adds up its 60 slots and the one that is just leaving', () => {
    const counter = counted([60, 1], [59, 2], [30, 4], [0, 8]);
    expect(slidingUsed(counter, SLOT)).toBe(15);
    expect(slidingUsed(counter, SLOT + 1)).toBe(14);
    expect(slidingUsed(counter, SLOT + 2)).toBe(12);
    expect(slidingUsed(counter, SLOT + 60)).toBe(8);
    expect(slidingUsed(counter, SLOT + 61)).toBe(0);
    expect(slidingUsed(EMPTY_SLIDING, SLOT)).toBe(0);
  });

  it('keeps what a later slot still sees, and nothing that none sees', () => {
    expect(counted([60, 1], [0, 1]).hits).toHaveLength(61);
    expect(counted([61, 1], [0, 1])).toEqual({ kind: 'sliding', newest: SLOT, hits: [1] });
    expect(counted([45, 3], [44, 5], [3, 1]).hits).toHaveLength(43);
    expect(slidingAdd(counted([45, 3], [3, 1]), SLOT + 20, 1).hits).toHaveLength(24);
  });

  it('adds within one slot and over several', () => {
    expect(counted([0, 2], [0, 3])).toEqual({ kind: 'sliding', newest: SLOT, hits: [5] });
    expect(counted([3, 2], [0, 3])).toEqual({ kind: 'sliding', newest: SLOT, hits: [3, 0, 0, 2] });
  });

  it('adds to a slot of the past where it belongs', () => {
    const counter = slidingAdd(counted([3, 2], [0, 3]), SLOT - 3, 7);
    expect(counter).toEqual({ kind: 'sliding', newest: SLOT, hits: [3, 0, 0, 9] });
    expect(slidingAdd(counted([0, 3]), SLOT - 60, 1).newest).toBe(SLOT);
    expect(slidingAdd(counted([0, 3]), SLOT - 61, 1)).toEqual({ kind: 'sliding', newest: SLOT - 61, hits: [1] });
  });

  it('leaves the counter that it adds to as it was', () => {
    const before = counted([3, 2], [0, 3]);
    const copy = structuredClone(before);
    slidingAdd(before, SLOT, 1);
    slidingAdd(before, SLOT + 5, 1);
    expect(before).toEqual(copy);
  });

  it('takes away what was given back, and keeps the slot', () => {
    expect(slidingAdd(counted([3, 2], [0, 3]), SLOT, -3)).toEqual({
      kind: 'sliding',
      newest: SLOT,
      hits: [0, 0, 0, 2],
    });
    expect(slidingUsed(slidingAdd(counted([3, 2]), SLOT - 3, -2), SLOT)).toBe(0);
  });
});

describe('the room of a sliding window comes back', () => {
  const counter = counted([50, 2], [40, 3], [10, 5]);
  const gone = (ago: number) => slotGone(SLOT - ago, SECONDS);

  it.each([
    [1, 50],
    [2, 50],
    [3, 40],
    [5, 40],
    [6, 10],
    [10, 10],
  ])('by %i when the slots of at least as many have left', (room, ago) => {
    expect(slidingFreeAt(counter, SLOT, SECONDS, room)).toBe(gone(ago));
  });

  it('never by more than was counted', () => {
    expect(slidingFreeAt(counter, SLOT, SECONDS, 11)).toBeNull();
    expect(slidingFreeAt(EMPTY_SLIDING, SLOT, SECONDS, 1)).toBeNull();
    expect(slidingFreeAt(counter, SLOT + 11, SECONDS, 9)).toBeNull();
    expect(slidingFreeAt(counter, SLOT + 11, SECONDS, 8)).toBe(gone(10));
  });

  it('as a whole when the newest slot with hits has left', () => {
    expect(slidingEmptyAt(counter, SLOT, SECONDS)).toBe(gone(10));
    expect(slidingEmptyAt(slidingAdd(counter, SLOT - 10, -5), SLOT, SECONDS)).toBe(gone(40));
    expect(slidingEmptyAt(counter, SLOT + 51, SECONDS)).toBeNull();
    expect(slidingEmptyAt(counter, SLOT + 50, SECONDS)).toBe(gone(10));
    expect(slidingEmptyAt(EMPTY_SLIDING, SLOT, SECONDS)).toBeNull();
    expect(slidingExpires(counter, SECONDS)).toBe(gone(10));
  });
});

describe('a sum of counts', () => {
  it('stops at the largest whole number', () => {
    expect(saturatingSum(2, 3)).toBe(5);
    expect(saturatingSum(2, -3)).toBe(-1);
    expect(saturatingSum(Number.MAX_SAFE_INTEGER - 1, 5)).toBe(Number.MAX_SAFE_INTEGER);
    expect(slidingUsed(counted([0, Number.MAX_SAFE_INTEGER], [0, 7]), SLOT)).toBe(Number.MAX_SAFE_INTEGER);
  });
});
