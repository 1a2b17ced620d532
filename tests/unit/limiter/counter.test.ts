import { describe, expect, it } from 'vitest';
import { addHits, type Counter, countUsed, createEmptyCounter, findReset, findRetryTime } from '@/lib/limiter/counter';
import { EMPTY_SLIDING } from '@/lib/limiter/sliding-counter';
import { computeSlot, findSlotExpiry } from '@/lib/limiter/window';

const MINUTE = { kind: 'sliding', seconds: 60 } as const;
const MONTH = { kind: 'month' } as const;
const NOW = Date.UTC(2026, 10, 20, 12);
const NEXT_MONTH = Date.UTC(2026, 11, 1);

const inMonth = (hits: number, floor = 0): Counter => ({ kind: 'month', month: 2026 * 12 + 10, hits, floor });
const inMinute = (cost: number): Counter => addHits(createEmptyCounter(MINUTE, NOW), MINUTE, NOW, cost);
const goneAt = findSlotExpiry(computeSlot(NOW, 60), 60);

describe('a new counter', () => {
  it('has counted nothing in its window', () => {
    expect(createEmptyCounter(MINUTE, NOW)).toEqual(EMPTY_SLIDING);
    expect(createEmptyCounter(MONTH, NOW)).toEqual(inMonth(0));
    for (const window of [MINUTE, MONTH]) {
      expect(countUsed(createEmptyCounter(window, NOW), window, NOW)).toBe(0);
      expect(findReset(createEmptyCounter(window, NOW), window, NOW)).toBe(NOW);
    }
  });
});

describe('the counter of a month', () => {
  it('counts its hits beyond what was forgiven, and never less than none', () => {
    expect(countUsed(inMonth(7), MONTH, NOW)).toBe(7);
    expect(countUsed(inMonth(7, 5), MONTH, NOW)).toBe(2);
    expect(countUsed(inMonth(5, 7), MONTH, NOW)).toBe(0);
  });

  it('adds to its hits and keeps what was forgiven', () => {
    expect(addHits(inMonth(7, 5), MONTH, NOW, 3)).toEqual(inMonth(10, 5));
    expect(addHits(inMonth(Number.MAX_SAFE_INTEGER), MONTH, NOW, 3)).toEqual(inMonth(Number.MAX_SAFE_INTEGER));
  });

  it('starts over with the next month', () => {
    expect(countUsed(inMonth(7), MONTH, NEXT_MONTH - 1)).toBe(7);
    expect(countUsed(inMonth(7), MONTH, NEXT_MONTH)).toBe(0);
    expect(addHits(inMonth(7, 5), MONTH, NEXT_MONTH, 3)).toEqual({
      kind: 'month',
      month: 2026 * 12 + 11,
      hits: 3,
      floor: 0,
    });
  });

  it('has its limit back with the next month, at once where nothing is used', () => {
    expect(findReset(inMonth(7), MONTH, NOW)).toBe(NEXT_MONTH);
    expect(findReset(inMonth(7, 7), MONTH, NOW)).toBe(NOW);
    expect(findRetryTime(inMonth(7), MONTH, NOW, 7, 1)).toBe(NEXT_MONTH);
  });
});

describe('the counter of a sliding window', () => {
  it('has its limit back when its last slot has left', () => {
    expect(findReset(inMinute(3), MINUTE, NOW)).toBe(goneAt);
    expect(findReset(inMinute(3), MINUTE, goneAt)).toBe(goneAt);
  });

  it('has room for a cost when as many have left as stand in the way', () => {
    const counter = addHits(inMinute(3), MINUTE, NOW + 10_000, 4);
    const later = NOW + 10_000;
    expect(findRetryTime(counter, MINUTE, later, 8, 2)).toBe(goneAt);
    expect(findRetryTime(counter, MINUTE, later, 8, 4)).toBe(goneAt);
    expect(findRetryTime(counter, MINUTE, later, 8, 5)).toBe(goneAt + 10_000);
  });

  it.each([MINUTE, MONTH])('never has room for more than the limit', (window) => {
    expect(findRetryTime(createEmptyCounter(window, NOW), window, NOW, 5, 6)).toBe(Number.POSITIVE_INFINITY);
    expect(findRetryTime(inMonth(5), MONTH, NOW, 5, 5)).toBe(NEXT_MONTH);
  });
});

describe('a counter of another kind than the window that looks at it', () => {
  it('is ignored: a key that changed its window starts over', () => {
    expect(countUsed(inMonth(7), MINUTE, NOW)).toBe(0);
    expect(countUsed(inMinute(7), MONTH, NOW)).toBe(0);
    expect(addHits(inMonth(7), MINUTE, NOW, 2)).toEqual(inMinute(2));
    expect(addHits(inMinute(7), MONTH, NOW, 2)).toEqual(inMonth(2));
    expect(findReset(inMonth(7), MINUTE, NOW)).toBe(NOW);
    expect(findReset(inMinute(7), MONTH, NOW)).toBe(NOW);
    expect(findRetryTime(inMonth(7), MINUTE, NOW, 7, 1)).toBe(NOW);
  });
});
