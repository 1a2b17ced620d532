import { describe, expect, it } from 'vitest';
import { clampEnd, explainTooLong } from '@/components/policies/longest-life';

const NOW = Date.UTC(2026, 10, 25, 12);
const inHours = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString();

describe('the end of an exception that is changed', () => {
  it.each([
    ['any', null, null, null],
    ['any', null, inHours(9_000), inHours(9_000)],
    ['two days', 2, inHours(47), inHours(47)],
    ['two days', 2, inHours(48), inHours(48)],
  ])('stays where exceptions may last %s', (_, longest, end, kept) => {
    expect(clampEnd(longest, end, NOW)).toBe(kept);
  });

  it.each([null, inHours(48.01), inHours(9_000)])('is the last that is allowed instead of %s', (end) => {
    expect(explainTooLong(2, end, NOW)).not.toBeNull();
    const shortened = clampEnd(2, end, NOW);
    expect(shortened).toBe(new Date(Date.parse(inHours(48)) - 60_000).toISOString());
    expect(explainTooLong(2, shortened, NOW)).toBeNull();
  });
});
