import { describe, expect, it } from 'vitest';
import { readStoredMonth, readStoredWindow } from '@/lib/counters/redis/script-messages';
import { createSliding, EMPTY_SLIDING } from '@/lib/limiter/sliding-counter';

describe('a counter as Redis keeps it', () => {
  it('is read with the slots between those that have hits', () => {
    expect(readStoredWindow('97:2;99:3;100:7;')).toEqual(createSliding(100, [7, 3, 0, 2]));
    expect(readStoredWindow('100:1;')).toEqual(createSliding(100, [1]));
    expect(readStoredWindow('99:1;100:9007199254740991;')).toEqual(createSliding(100, [9_007_199_254_740_991, 1]));
  });

  it.each([null, undefined, 4, '', 'x', '100:', '97:1;100:7', 'nan:1;'])('counts nothing when it is %s', (stored) => {
    expect(readStoredWindow(stored)).toEqual(EMPTY_SLIDING);
  });

  it('is a pair for a month', () => {
    expect(readStoredMonth(['5', '3'], 24_322)).toEqual({ kind: 'month', month: 24_322, hits: 8, floor: 3 });
    expect(readStoredMonth([null, null], 24_322)).toEqual({ kind: 'month', month: 24_322, hits: 0, floor: 0 });
  });
});
