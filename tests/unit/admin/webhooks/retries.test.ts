import { expect, it } from 'vitest';
import { MOST_ATTEMPTS, pauseAfter } from '@/lib/admin/webhooks/retries';

const HOUR = 3_600_000;

it('pauses grow, and eight attempts take about a day', () => {
  const pauses = Array.from({ length: MOST_ATTEMPTS - 1 }, (_, index) => pauseAfter(index + 1, null, 0) ?? 0);
  expect(MOST_ATTEMPTS).toBe(8);
  expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
  const all = pauses.reduce((sum, pause) => sum + pause, 0);
  expect(all / HOUR).toBeGreaterThan(22);
  expect(all / HOUR).toBeLessThan(25);
  expect(pauseAfter(MOST_ATTEMPTS, null, 0)).toBeNull();
});

it('a pause that the receiver asks for counts where it is longer, up to an hour', () => {
  expect(pauseAfter(1, 60_000, 0)).toBe(60_000);
  expect(pauseAfter(1, 365 * 24 * HOUR, 0)).toBe(HOUR);
  expect(pauseAfter(5, 1_000, 0)).toBe(2 * HOUR);
  expect(pauseAfter(1, null, 1)).toBe(5_500);
});
