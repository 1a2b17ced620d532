import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findRollup, splitSpan } from '@/lib/statistics/step';
import { DAY, HOUR, MINUTE } from '@/lib/units';

const midnight = Date.parse('2026-11-20T00:00:00.000Z');

it('cuts a span into days, the hours around them and the minutes around those', () => {
  expect(splitSpan(midnight - 90 * MINUTE, midnight + 2 * DAY + 61 * MINUTE, 60)).toEqual([
    { step: 60, start: midnight - 90 * MINUTE, end: midnight - HOUR },
    { step: 3_600, start: midnight - HOUR, end: midnight },
    { step: 86_400, start: midnight, end: midnight + 2 * DAY },
    { step: 3_600, start: midnight + 2 * DAY, end: midnight + 2 * DAY + HOUR },
    { step: 60, start: midnight + 2 * DAY + HOUR, end: midnight + 2 * DAY + 61 * MINUTE },
  ]);
});

it('covers every span exactly once, in order, on the steps', () => {
  const finest = fc.constantFrom(60 as const, 3_600 as const, 86_400 as const);
  const count = fc.integer({ min: 0, max: 10_000 });
  fc.assert(
    fc.property(finest, count, count, (step, begin, length) => {
      const from = begin * step * 1_000;
      const to = from + length * step * 1_000;
      let at = from;
      for (const piece of splitSpan(from, to, step)) {
        expect(piece.start).toBe(at);
        expect(piece.end).toBeGreaterThan(piece.start);
        expect(piece.step).toBeGreaterThanOrEqual(step);
        expect(piece.start % (piece.step * 1_000)).toBe(0);
        expect(piece.end % (piece.step * 1_000)).toBe(0);
        at = piece.end;
      }
      expect(at).toBe(to);
    }),
  );
});

it('adds a step up from the longest that divides it', () => {
  expect([60, 300, 3_600, 5_400, 21_600, 86_400, 604_800].map(findRollup)).toEqual([
    60, 60, 3_600, 60, 3_600, 86_400, 86_400,
  ]);
});
