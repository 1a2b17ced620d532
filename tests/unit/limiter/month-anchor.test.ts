import fc from 'fast-check';
import Libsql from 'libsql';
import { describe, expect, it } from 'vitest';
import { buildMonthSql } from '@/lib/counters/remote/statements';
import { createMonths, decodeWindow, encodeWindow, MOST_SHIFT, moveAnchor } from '@/lib/limiter/month-anchor';
import { computeCalendarMonth, computeMonthEnd, computeStartOfMonth } from '@/lib/limiter/window';
import { table } from '../../fixtures/table';

const DAY = 86_400_000;
const days = fc.integer({ min: 1, max: 31 });
const shifts = fc.integer({ min: -MOST_SHIFT, max: MOST_SHIFT });
/** What day 1 without a shift has is the calendar's, and no anchor. */
const anchorOf = (day: number, shift: number) => createMonths(day, shift).anchor;
const plain = fc.record({ day: days, shift: shifts });
const anchors = plain.map(({ day, shift }) => anchorOf(day, shift) ?? anchorOf(2, 0));
/** Any moment of 170 years, the edges of days, and both ends of daylight saving in several zones. */
const times = fc.oneof(
  fc.integer({ min: 0, max: Date.UTC(2140, 0, 1) }),
  fc
    .tuple(fc.integer({ min: 0, max: 62_000 }), fc.constantFrom(-1, 0, 1))
    .map(([day, edge]) => Math.max(0, day * DAY + edge)),
  fc
    .tuple(
      fc.constantFrom('2026-03-29T01:00Z', '2026-10-25T01:00Z', '2028-03-12T07:00Z', '2028-11-05T06:00Z'),
      fc.integer({ min: -2 * DAY, max: 2 * DAY }),
    )
    .map(([change, off]) => Date.parse(change) + off),
);

function inZones(check: () => void) {
  const zone = process.env.TZ;
  try {
    for (const name of ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Kiritimati', 'Australia/Lord_Howe']) {
      process.env.TZ = name;
      check();
    }
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
}

describe('months that begin on a day of their own', () => {
  table(
    'from day %i, %s lies in the month from %s to %s',
    (day: number, time: string) => {
      const anchor = anchorOf(day, 0);
      const at = Date.parse(time);
      return [computeStartOfMonth(computeCalendarMonth(at, anchor), anchor), computeMonthEnd(at, anchor)].map((edge) =>
        new Date(edge).toISOString().slice(0, 10),
      );
    },
    [
      [15, '2026-11-14T23:59:59.999Z', ['2026-10-15', '2026-11-15']],
      [15, '2026-11-15T00:00:00.000Z', ['2026-11-15', '2026-12-15']],
      [31, '2026-02-27T23:59:59.999Z', ['2026-01-31', '2026-02-28']],
      [31, '2026-02-28T00:00:00.000Z', ['2026-02-28', '2026-03-31']],
      [31, '2028-02-28T23:59:59.999Z', ['2028-01-31', '2028-02-29']],
      [30, '2028-02-29T00:00:00.000Z', ['2028-02-29', '2028-03-30']],
      [31, '2026-04-30T00:00:00.000Z', ['2026-04-30', '2026-05-31']],
      [29, '2100-02-28T00:00:00.000Z', ['2100-02-28', '2100-03-29']],
      [1, '2026-12-31T23:59:59.999Z', ['2026-12-01', '2027-01-01']],
    ],
  );

  it('follow one another without gap or overlap, in any time zone of the process', () => {
    inZones(() =>
      fc.assert(
        fc.property(times, anchors, (time, anchor) => {
          const month = computeCalendarMonth(time, anchor);
          const start = computeStartOfMonth(month, anchor);
          const end = computeMonthEnd(time, anchor);
          expect(start).toBeLessThanOrEqual(time);
          expect(end).toBeGreaterThan(time);
          expect(end).toBe(computeStartOfMonth(month + 1, anchor));
          expect(computeCalendarMonth(end - 1, anchor)).toBe(month);
          expect(computeCalendarMonth(end, anchor)).toBe(month + 1);
        }),
        { numRuns: 400 },
      ),
    );
  });

  it('begin at midnight UTC on their day, or on the last of a shorter month, once in every calendar month', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1970 * 12 + 1, max: 2140 * 12 }), anchors, (month, anchor) => {
        const { day, shift } = anchor ?? { day: 1, shift: 0 };
        const start = new Date(computeStartOfMonth(month + shift, anchor));
        const lastDay = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 0)).getUTCDate();
        expect(start.getTime() % DAY).toBe(0);
        expect(start.getUTCFullYear() * 12 + start.getUTCMonth()).toBe(month);
        expect(start.getUTCDate()).toBe(Math.min(day, lastDay));
      }),
    );
  });

  it('are those of the calendar from day 1', () => {
    fc.assert(
      fc.property(times, (time) => {
        expect(computeCalendarMonth(time, anchorOf(1, 1))).toBe(computeCalendarMonth(time) + 1);
      }),
    );
  });

  it('have the same numbers in the SQL of a libSQL server', () => {
    const database = new Libsql(':memory:');
    const statement = database.prepare(`select ${buildMonthSql('(?1 ->> 0)', '(?1 ->> 1)')}`).raw();
    fc.assert(
      fc.property(times, anchors, (time, anchor) => {
        const number = (code: number): unknown => statement.get(JSON.stringify([time, code]));
        expect(number(encodeWindow(anchor === undefined ? { kind: 'month' } : { kind: 'month', anchor }))).toEqual([
          computeCalendarMonth(time, anchor),
        ]);
        expect(number(0)).toEqual([computeCalendarMonth(time)]);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the code of a window', () => {
  it('stands for that window and no other', () => {
    fc.assert(
      fc.property(plain, plain, ({ day, shift }, other) => {
        const window = createMonths(day, shift);
        expect(decodeWindow(encodeWindow(window))).toEqual(window);
        const same = day === other.day && shift === other.shift;
        expect(encodeWindow(window) === encodeWindow(createMonths(other.day, other.shift))).toBe(same);
      }),
    );
    expect(decodeWindow(3600)).toEqual({ kind: 'sliding', seconds: 3600 });
    expect(decodeWindow(encodeWindow({ kind: 'month' }))).toEqual({ kind: 'month' });
  });
});

describe('moving the anchor', () => {
  it('keeps the month that runs until the next such day, whatever was moved before', () => {
    const moves = fc.array(fc.tuple(fc.integer({ min: 0, max: 70 * DAY }), days), { maxLength: 8 });
    fc.assert(
      fc.property(times, days, moves, (start, first, steps) => {
        let now = start;
        let anchor = { day: first, shift: 0 };
        const months = () => anchorOf(anchor.day, anchor.shift);
        for (const [gap, day] of steps) {
          now += gap;
          const running = computeCalendarMonth(now, months());
          const shift = moveAnchor(anchor, day, now);
          if (shift === null) return;
          anchor = { day, shift };
          expect(computeCalendarMonth(now, months())).toBe(running);
          const end = computeMonthEnd(now, months());
          expect(end - now).toBeLessThanOrEqual(31 * DAY);
          expect(computeCalendarMonth(end, months())).toBe(running + 1);
          const nextDay = new Date(end + DAY).getUTCDate();
          if (nextDay === 1) expect(new Date(end).getUTCDate()).toBeLessThanOrEqual(day);
          else expect(new Date(end).getUTCDate()).toBe(day);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('and back within the month leaves everything as it was', () => {
    fc.assert(
      fc.property(times, plain, days, (now, before, day) => {
        const shift = moveAnchor(before, day, now);
        if (shift !== null) expect(moveAnchor({ day, shift }, before.day, now)).toBe(before.shift);
      }),
    );
  });

  it('is refused where its numbers would be too far from the calendar', () => {
    const time = Date.UTC(2026, 10, 20);
    expect(moveAnchor({ day: 28, shift: -MOST_SHIFT }, 15, time)).toBeNull();
    expect(moveAnchor({ day: 15, shift: MOST_SHIFT }, 28, time)).toBeNull();
  });
});
