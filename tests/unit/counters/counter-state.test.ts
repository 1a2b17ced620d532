import { describe, expect, it } from 'vitest';
import { buildCounterState, createFromSlots, readSlots, writeSlots } from '@/lib/counters/counter-state';
import { groupOptions } from '@/lib/counters/group-commit';
import { createSliding, listHits, type SlidingCounter } from '@/lib/limiter/sliding-counter';

const NOW = Date.UTC(2026, 10, 21, 12);
const SLOT = NOW / 1_000;
const MINUTE = { kind: 'sliding', seconds: 60 } as const;
const MONTH = { kind: 'month' } as const;
const sliding = (newest: number, ...hits: number[]): SlidingCounter => createSliding(newest, hits);

describe('a counter for the inspector', () => {
  it('has the slots with hits that its window sees, oldest first', () => {
    const hits = [2, 0, 3, ...Array.from({ length: 57 }, () => 0), 5, 7];
    expect(buildCounterState('k', sliding(SLOT, ...hits), MINUTE, NOW + 999)).toEqual({
      key: 'k',
      now: NOW + 999,
      slots: [
        { start: NOW - 60_000, hits: 5 },
        { start: NOW - 2_000, hits: 3 },
        { start: NOW, hits: 2 },
      ],
      used: 10,
      reset: NOW + 61_000,
    });
  });

  it('has what lies ahead in the present slot, and not what lies further ahead than a window', () => {
    expect(
      buildCounterState('k', sliding(SLOT + 60, 4, ...Array.from({ length: 60 }, () => 0), 1), MINUTE, NOW),
    ).toMatchObject({
      slots: [
        { start: NOW - 1_000, hits: 1 },
        { start: NOW, hits: 4 },
      ],
      used: 5,
      reset: NOW + 61_000,
    });
    expect(buildCounterState('k', sliding(SLOT + 61, 4), MINUTE, NOW)).toMatchObject({
      slots: [],
      used: 0,
      reset: NOW,
    });
  });

  it('keeps the oldest slot of its window if the newest is a window ahead', () => {
    const stored = createFromSlots([
      [SLOT - 60, 1],
      [SLOT + 60, 4],
    ]);
    expect(buildCounterState('k', stored, MINUTE, NOW)).toMatchObject({ used: 5 });
    expect(
      createFromSlots([
        ['x', 1],
        [SLOT - 100_000, 2],
        [SLOT, 3],
      ]),
    ).toEqual(sliding(SLOT, 3));
  });

  it('is one slot for a month, less what was forgiven', () => {
    const month = { kind: 'month', month: 2026 * 12 + 10, hits: 9, floor: 4 } as const;
    expect(buildCounterState('k', month, MONTH, NOW)).toEqual({
      key: 'k',
      now: NOW,
      slots: [{ start: Date.UTC(2026, 10), hits: 5 }],
      used: 5,
      reset: Date.UTC(2026, 11),
    });
    expect(buildCounterState('k', { ...month, floor: 9 }, MONTH, NOW)).toMatchObject({
      slots: [],
      used: 0,
      reset: NOW,
    });
    expect(buildCounterState('k', { ...month, month: month.month - 1 }, MONTH, NOW)).toMatchObject({
      slots: [],
      used: 0,
    });
  });

  it('is empty for a counter of another kind', () => {
    const month = { kind: 'month', month: 2026 * 12 + 10, hits: 9, floor: 4 } as const;
    expect(buildCounterState('k', month, MINUTE, NOW)).toMatchObject({ slots: [], used: 0, reset: NOW });
    expect(buildCounterState('k', sliding(SLOT, 3), MONTH, NOW)).toMatchObject({ slots: [], used: 0, reset: NOW });
  });
});

describe('a sliding counter as text', () => {
  it('is read as it was written', () => {
    expect(writeSlots(sliding(7, 3, 0, 1))).toBe('[7,3,"1#$"]');
    expect(listHits(readSlots('[7,3,"1#$"]'))).toEqual([3, 0, 1]);
    expect(readSlots('[7,3,0,1]')).toEqual(sliding(7, 3, 0, 1));
    expect(readSlots('[0,0]')).toEqual(sliding(0, 0));
  });

  it.each([
    null,
    '',
    '[]',
    '[7]',
    '[7,]x',
    '[7,-1]',
    '[7,1.5]',
    '[7.5,1]',
    '[x,1]',
    '[7,1e400]',
    '[9007199254740992,1]',
  ])('has counted nothing when it is %j', (text) => {
    expect(readSlots(text)).toEqual(sliding(0));
  });
});

it('decides in as many groups at once as a store is worth', () => {
  expect(groupOptions({ kind: 'embedded' })).toMatchObject({ depth: 1 });
  expect(groupOptions({ kind: 'local' })).toMatchObject({ depth: 1 });
  expect(groupOptions({ kind: 'redis' })).toMatchObject({ depth: 2, divideFrom: 2 });
  expect(groupOptions({ kind: 'remote' })).toMatchObject({ depth: 4 });
});
