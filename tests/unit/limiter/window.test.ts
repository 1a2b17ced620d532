import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  computeCalendarMonth,
  computeSlot,
  computeSlotStart,
  computeStartOfMonth,
  findSlotExpiry,
} from '@/lib/limiter/window';
import { table } from '../../fixtures/table';

const times = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
const lengths = fc.integer({ min: 1, max: 90 * 86_400 });

describe('slots', () => {
  it('start at the first millisecond that belongs to them', () => {
    fc.assert(
      fc.property(times, lengths, (time, seconds) => {
        const slot = computeSlot(time, seconds);
        const start = computeSlotStart(slot, seconds);
        expect(start).toBeLessThanOrEqual(time);
        expect(computeSlot(start, seconds)).toBe(slot);
        if (start > 0) expect(computeSlot(start - 1, seconds)).toBe(slot - 1);
      }),
      { numRuns: 2000 },
    );
  });

  it('are exactly 60 apart when two moments are one window apart', () => {
    fc.assert(
      fc.property(times, lengths, (time, seconds) => {
        expect(computeSlot(time + seconds * 1000, seconds)).toBe(computeSlot(time, seconds) + 60);
      }),
      { numRuns: 2000 },
    );
  });

  it('are seen for one window, and for no more than one slot and a millisecond longer', () => {
    fc.assert(
      fc.property(times, lengths, (time, seconds) => {
        const gone = findSlotExpiry(computeSlot(time, seconds), seconds);
        expect(gone).toBeGreaterThan(time + seconds * 1000);
        expect(gone).toBeLessThanOrEqual(time + seconds * 1000 + (seconds * 1000) / 60 + 1);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('months', () => {
  table(
    '%s belongs to the month that ends at %s',
    (time) => new Date(computeStartOfMonth(computeCalendarMonth(Date.parse(time)) + 1)).toISOString(),
    [
      ['2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z'],
      ['2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z'],
      ['2028-02-28T23:59:59.999Z', '2028-03-01T00:00:00.000Z'],
      ['2028-02-29T12:00:00.000Z', '2028-03-01T00:00:00.000Z'],
      ['2100-02-28T23:59:59.999Z', '2100-03-01T00:00:00.000Z'],
      ['2026-03-29T01:30:00.000Z', '2026-04-01T00:00:00.000Z'],
      ['2026-10-25T01:30:00.000Z', '2026-11-01T00:00:00.000Z'],
      ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
    ],
  );

  it('follow one another without a gap, whatever the time zone of the process', () => {
    const zone = process.env.TZ;
    try {
      for (const name of ['UTC', 'America/New_York', 'Pacific/Kiritimati', 'Australia/Lord_Howe']) {
        process.env.TZ = name;
        fc.assert(
          fc.property(times, (time) => {
            const month = computeCalendarMonth(time);
            expect(computeStartOfMonth(month)).toBeLessThanOrEqual(time);
            expect(computeStartOfMonth(month + 1)).toBeGreaterThan(time);
            expect(computeCalendarMonth(computeStartOfMonth(month + 1) - 1)).toBe(month);
          }),
        );
      }
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
});
