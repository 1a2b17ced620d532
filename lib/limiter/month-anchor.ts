import type { MonthWindow, Window } from '@/lib/limiter/meter';
import { computeCalendarMonth, type MonthAnchor } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** Largest shift of an anchor, in months. Months are kept for 13 months, so a larger shift could lose usage. */
export const MOST_SHIFT = 9;

const CALENDAR_MONTH: MonthWindow = { kind: 'month' };

/** The months of a key that do not begin with the calendar month. */
class Anchor implements MonthAnchor {
  constructor(
    readonly day: number,
    readonly shift: number,
  ) {}

  computeMonth(time: Millis): number {
    const month = computeCalendarMonth(time) + this.shift;
    return time < this.computeStart(month) ? month - 1 : month;
  }

  computeStart(month: number): Millis {
    const since2000 = month - this.shift - 24_000;
    return Math.min(Date.UTC(2000, since2000, this.day), Date.UTC(2000, since2000 + 1, 0));
  }
}

/** Cached windows, one per pair of day and shift. Stores compare windows by identity. */
const MONTHS = new Map<string, MonthWindow>();

/** Returns the months of a key. @param day the day on which they begin, 1 to 31 */
export function createMonths(day: number, shift: number): MonthWindow {
  if (day === 1 && shift === 0) return CALENDAR_MONTH;
  const name = `${day} ${shift}`;
  const months = MONTHS.get(name) ?? { kind: 'month', anchor: new Anchor(day, shift) };
  MONTHS.set(name, months);
  return months;
}

/**
 * Computes the shift that keeps the number of the current month when the months begin on another day. Its usage then
 * stays counted until the next such day.
 * @returns null if the shift exceeds `MOST_SHIFT`
 */
export function moveAnchor(before: Pick<MonthAnchor, 'day' | 'shift'>, day: number, now: Millis): number | null {
  const shift = new Anchor(before.day, before.shift).computeMonth(now) - new Anchor(day, 0).computeMonth(now);
  return Math.abs(shift) <= MOST_SHIFT ? shift : null;
}

/** Offset that makes every shift positive in the code of a window. */
const ZERO_SHIFT = 16;

/**
 * Encodes a window as one number for stores. Positive: length in seconds. 0: the calendar month. Negative: a month with
 * an anchor.
 */
export function encodeWindow(window: Window): number {
  if (window.kind === 'sliding') return window.seconds;
  const { anchor } = window;
  return anchor === undefined ? 0 : -(anchor.day + 32 * (anchor.shift + ZERO_SHIFT));
}

/** Decodes the number that `encodeWindow` returned. */
export function decodeWindow(code: number): Window {
  if (code > 0) return { kind: 'sliding', seconds: code };
  return code === 0 ? CALENDAR_MONTH : createMonths(-code % 32, Math.floor(-code / 32) - ZERO_SHIFT);
}
