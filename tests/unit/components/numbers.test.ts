import { describe, expect, it } from 'vitest';
import { computeValueTicks } from '@/components/chart/axes';
import { formatCompact, formatShare } from '@/components/format/number';
import { formatUtc } from '@/components/format/time';
import { formatCount, formatNumber } from '@/lib/format-number';
import { table } from '../../fixtures/table';

describe('a number', () => {
  table('%d is written whole: %s', formatNumber, [
    [0, '0'],
    [-1_234, '-1,234'],
    [12_345, '12,345'],
    [Number.MAX_SAFE_INTEGER, '9,007,199,254,740,991'],
  ]);

  table('%d is written short: %s', formatCompact, [
    [0, '0'],
    [999, '999'],
    [1_000, '1K'],
    [12_345, '12.3K'],
    [999_999, '1M'],
    [1_000_000_000, '1B'],
  ]);
});

describe('a count', () => {
  table('of %d agrees with its noun: %s', (count) => formatCount(count, 'key'), [
    [0, '0 keys'],
    [1, '1 key'],
    [2, '2 keys'],
    [1_000_000, '1,000,000 keys'],
  ]);

  it('knows a plural that is not made with an s', () => {
    expect([formatCount(1, 'entry', 'entries'), formatCount(3, 'entry', 'entries')]).toEqual(['1 entry', '3 entries']);
  });
});

describe('a share', () => {
  table('of %d is never rounded up: %s', formatShare, [
    [-0.5, '0%'],
    [0, '0%'],
    [0.000_9, '< 0.1%'],
    [0.001, '0.1%'],
    [0.009_99, '0.9%'],
    [0.01, '1%'],
    [0.018_9, '1.8%'],
    [0.099_9, '9.9%'],
    [0.29, '29%'],
    [0.375, '37%'],
    [0.999, '99%'],
    [1, '100%'],
    [12.5, '1250%'],
  ]);
});

describe('the marks of an axis', () => {
  table('up to %d are round whole numbers from 0 that reach it', computeValueTicks, [
    [1, [0, 1]],
    [2, [0, 1, 2]],
    [3, [0, 1, 2, 3]],
    [4, [0, 2, 4]],
    [7, [0, 3, 6, 9]],
    [10, [0, 5, 10]],
    [100, [0, 50, 100]],
    [1_000_000, [0, 500_000, 1_000_000]],
  ]);

  it('are few, whole and evenly spaced whatever the value is', () => {
    for (let most = 1; most < 1e12; most = Math.ceil(most * 1.37)) {
      const ticks = computeValueTicks(most);
      expect(ticks.length).toBeLessThanOrEqual(5);
      expect(ticks.every(Number.isInteger)).toBe(true);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
    }
  });
});

it('a moment is written in UTC, to the second, whatever form it comes in', () => {
  expect(formatUtc('2026-11-20T12:00:00.999Z')).toBe('2026-11-20 12:00:00 UTC');
  expect(formatUtc('2026-03-29T03:30:00+02:00')).toBe('2026-03-29 01:30:00 UTC');
  expect(formatUtc(0)).toBe('1970-01-01 00:00:00 UTC');
});
