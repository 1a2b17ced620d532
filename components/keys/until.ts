import { formatWallClock, parseWallClock } from '@/components/format/time';
import { DAY } from '@/lib/units';

const FRIDAY = 5;

/** Returns the next midnight in `zone`, which ends the day of `now`. `now` is in milliseconds. */
export function computeEndOfToday(now: number, zone: string): string {
  return computeMidnightAfter(now, zone, 0);
}

/** Returns the end of the next Friday in `zone`, which is today's end on a Friday. */
export function computeEndOfFriday(now: number, zone: string): string {
  const today = new Date(`${formatLocalDate(now, zone)}T00:00:00Z`).getUTCDay();
  return computeMidnightAfter(now, zone, (FRIDAY - today + 7) % 7);
}

function formatLocalDate(now: number, zone: string): string {
  return formatWallClock(new Date(now).toISOString(), zone).slice(0, 10);
}

/** Returns the midnight that ends the day `days` after that of `now`. */
function computeMidnightAfter(now: number, zone: string, days: number): string {
  const end = Date.parse(`${formatLocalDate(now, zone)}T00:00:00Z`) + (days + 1) * DAY;
  return parseWallClock(new Date(end).toISOString().slice(0, 16), zone);
}
