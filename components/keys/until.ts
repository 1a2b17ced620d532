import { instantOf, wallClock } from '@/components/format/time';

const DAY = 86_400_000;
const FRIDAY = 5;

/** The next midnight in `zone`, after which the day that `now` is in is over. `now` in milliseconds. */
export function endOfToday(now: number, zone: string): string {
  return midnightAfter(now, zone, 0);
}

/** The end of the next Friday in `zone`; of today where today is one. */
export function endOfFriday(now: number, zone: string): string {
  const today = new Date(`${localDate(now, zone)}T00:00:00Z`).getUTCDay();
  return midnightAfter(now, zone, (FRIDAY - today + 7) % 7);
}

function localDate(now: number, zone: string): string {
  return wallClock(new Date(now).toISOString(), zone).slice(0, 10);
}

/** The midnight that ends the day which is `days` after that of `now`. */
function midnightAfter(now: number, zone: string, days: number): string {
  const end = Date.parse(`${localDate(now, zone)}T00:00:00Z`) + (days + 1) * DAY;
  return instantOf(new Date(end).toISOString().slice(0, 16), zone);
}
