import { describe, expect, it } from 'vitest';
import { readStoredMonth, readStoredWindow } from '@/lib/counters/redis/stored-counter';

describe('a counter as Redis keeps it', () => {
  it('is read with the slots between those that have hits', () => {
    expect(readStoredWindow('0000000000000007100 5;97:2;99:3;')).toEqual({
      kind: 'sliding',
      newest: 100,
      hits: [7, 3, 0, 2],
    });
    expect(readStoredWindow('0000000000000001100 0;')).toEqual({ kind: 'sliding', newest: 100, hits: [1] });
    expect(readStoredWindow('9007199254740991100 0!99:1;')).toEqual({
      kind: 'sliding',
      newest: 100,
      hits: [9_007_199_254_740_991, 1],
    });
  });

  it.each([null, undefined, 4, '', 'x', '7 100 0;', '0000000000000007100 5;97'])(
    'counts nothing when it is %s',
    (stored) => {
      expect(readStoredWindow(stored)).toEqual({ kind: 'sliding', newest: 0, hits: [] });
    },
  );

  it('is a pair for a month', () => {
    expect(readStoredMonth(['5', '3'], 24_322)).toEqual({ kind: 'month', month: 24_322, hits: 8, floor: 3 });
    expect(readStoredMonth([null, null], 24_322)).toEqual({ kind: 'month', month: 24_322, hits: 0, floor: 0 });
  });
});
