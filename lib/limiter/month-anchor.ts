import type { MonthWindow, Window } from '@/lib/limiter/meter';
import { type MonthAnchor, monthAt } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** How far an anchor may shift the numbers of its months: what is counted in them is kept for 13 months. */
export const MOST_SHIFT = 9;

const CALENDAR_MONTH: MonthWindow = { kind: 'month' };

/** The months of a key. @param day on which they begin, 1 to 31 */
export function monthsFrom(day: number, shift: number): MonthWindow {
  return day === 1 && shift === 0 ? CALENDAR_MONTH : { kind: 'month', anchor: { day, shift } };
}

/**
 * The shift that the months of a key have from `now` on when they begin on another day: that by which the month that
 * runs keeps its number, so that everything it has counted stays counted until the next such day.
 * @returns null where that would be further than `MOST_SHIFT`
 */
export function movedAnchor(before: MonthAnchor, day: number, now: Millis): number | null {
  const shift = monthAt(now, before) - monthAt(now, { day, shift: 0 });
  return Math.abs(shift) <= MOST_SHIFT ? shift : null;
}

/** Room for shifts in the code of a window. */
const ZERO_SHIFT = 16;

/** A window as one number, for stores: its length in seconds; 0: the calendar month; below: a month with an anchor. */
export function windowCode(window: Window): number {
  if (window.kind === 'sliding') return window.seconds;
  const { anchor } = window;
  return anchor === undefined ? 0 : -(anchor.day + 32 * (anchor.shift + ZERO_SHIFT));
}

/** The window of a code. */
export function windowOf(code: number): Window {
  if (code > 0) return { kind: 'sliding', seconds: code };
  return code === 0 ? CALENDAR_MONTH : monthsFrom(-code % 32, Math.floor(-code / 32) - ZERO_SHIFT);
}
