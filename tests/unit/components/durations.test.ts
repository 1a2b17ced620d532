import { describe, expect, it } from 'vitest';
import { formatDistance, formatDuration, formatPace, formatWait, formatWindow } from '@/components/format/duration';
import { table } from '../../fixtures/table';

const NOW = Date.UTC(2026, 10, 20, 12);
const DAY = 86_400_000;

describe('a duration', () => {
  table('of %d s is rounded to the nearest: %s', formatDuration, [
    [0, '0 s'],
    [0.4, '0 s'],
    [0.9, '1 s'],
    [59, '59 s'],
    [59.6, '1 min'],
    [60, '1 min'],
    [89, '1 min'],
    [90, '2 min'],
    [3_560, '59 min'],
    [3_599, '1 h'],
    [3_600, '1 h'],
    [5_400, '90 min'],
    [7_190, '2 h'],
    [82_800, '23 h'],
    [86_395, '1 d'],
    [86_400, '1 d'],
    [1.5 * 86_400, '36 h'],
    [2 * 86_400, '2 d'],
    [5.9 * 86_400, '6 d'],
    [604_800, '7 d'],
    [10 * 365 * 86_400, '3650 d'],
  ]);
});

describe('a wait', () => {
  table('of %d s is rounded up: %s', formatWait, [
    [0.1, '1 s'],
    [59, '59 s'],
    [61, '2 min'],
    [3_541, '1 h'],
    [7_201, '3 h'],
    [2.1 * 86_400, '3 d'],
  ]);
});

describe('a window', () => {
  table('of %d s is written exactly: %s', formatWindow, [
    [1, '1 s'],
    [60, '1 min'],
    [61, '61 s'],
    [90, '90 s'],
    [120, '2 min'],
    [3_600, '1 h'],
    [5_400, '90 min'],
    [86_400, '1 d'],
    [90_000, '25 h'],
    [7_776_000, '90 d'],
    [0, '0 s'],
  ]);
});

describe('a distance', () => {
  table('of %d ms is said from now: %s', (milliseconds) => formatDistance(NOW + milliseconds, NOW), [
    [0, 'just now'],
    [4_499, 'just now'],
    [-4_499, 'just now'],
    [4_500, 'in 5 s'],
    [-5_000, '5 s ago'],
    [80_000, 'in 1 min'],
    [-90_000, '2 min ago'],
    [DAY - 20_000, 'in 1 d'],
    [3 * 3_600_000, 'in 3 h'],
    [-DAY, '1 d ago'],
    [10 * 365 * DAY, 'in 3650 d'],
  ]);

  it('has nothing to do with summer time', () => {
    const zone = process.env.TZ;
    process.env.TZ = 'Europe/Berlin';
    try {
      const beforeTheChange = Date.UTC(2026, 9, 24, 12);
      expect(formatDistance(beforeTheChange + DAY, beforeTheChange)).toBe('in 1 d');
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
});

describe('the pace of a limit', () => {
  table('%d in %d s: %s', formatPace, [
    [10, 60, 'about one every 6 s'],
    [7, 60, 'about one every 8.6 s'],
    [60, 60, 'about one every 1 s'],
    [1, 90 * 86_400, 'about one every 7,776,000 s'],
    [100, 60, 'about 1.7 a second'],
    [1_000, 1, 'about 1,000 a second'],
    [1_000_000_000, 1, 'about 1,000,000,000 a second'],
    [0, 60, 'nothing is admitted'],
    [-1, 60, 'nothing is admitted'],
  ]);
});
