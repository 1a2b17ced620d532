import type { Millis, Seconds } from '@/lib/units';

/** Number of slots in a sliding window. */
export const SLOTS = 60;

/**
 * Number of slots that a window adds up: its 60, and the slot that is about to leave.
 *
 * A hit in slot `s` still counts in slot `s + 60`. Two hits at most one window length apart are therefore counted
 * together. No interval of that length, ends included, holds more than the limit. Capacity returns at most one slot late.
 */
export const VISIBLE_SLOTS = SLOTS + 1;

/** Returns the slot of a time. @param seconds length of the window: a whole number, at least 1 */
export function computeSlot(time: Millis, seconds: Seconds): number {
  return Math.floor((time * SLOTS) / (seconds * 1000));
}

/** Returns the first whole millisecond of a slot. */
export function computeSlotStart(slot: number, seconds: Seconds): Millis {
  return Math.ceil((slot * seconds * 1000) / SLOTS);
}

/** Returns the first millisecond at which no window covers the slot. */
export function findSlotExpiry(slot: number, seconds: Seconds): Millis {
  return computeSlotStart(slot + VISIBLE_SLOTS, seconds);
}

/**
 * Months that begin on a day other than the first, or whose numbers are shifted. A key whose anchor moved keeps the
 * number of the current month, so its usage stays counted (see `moveAnchor`).
 */
export interface MonthAnchor {
  /** Day of the month, 1 to 31. A shorter month begins on its last day. */
  readonly day: number;
  readonly shift: number;
  /** Returns the number of the month. See `computeCalendarMonth`. */
  computeMonth(time: Millis): number;
  /** Returns the first millisecond of the month. See `computeStartOfMonth`. */
  computeStart(month: number): Millis;
}

/**
 * Number of the last month that was looked up. It is cached, because dates are slow and most calls ask for the same
 * month.
 */
let last = 0;
let lastStart = 0;
let lastEnd = 0;

/**
 * Returns the number of the month of a time, in UTC. The number is `year * 12 + month` of the calendar month in which
 * it begins, with January = 0, plus the shift of the anchor.
 */
export function computeCalendarMonth(time: Millis, anchor?: MonthAnchor): number {
  if (anchor) return anchor.computeMonth(time);
  if (time < lastStart || time >= lastEnd) {
    const date = new Date(time);
    last = date.getUTCFullYear() * 12 + date.getUTCMonth();
    lastStart = computeStartOfMonth(last);
    lastEnd = computeStartOfMonth(last + 1);
  }
  return last;
}

/** Returns the first millisecond of a month, in UTC. */
export function computeStartOfMonth(month: number, anchor?: MonthAnchor): Millis {
  return anchor ? anchor.computeStart(month) : Date.UTC(2000, month - 24_000);
}

/** Returns when the month of a time ends: the first millisecond of the next month. */
export function computeMonthEnd(time: Millis, anchor?: MonthAnchor): Millis {
  return computeStartOfMonth(computeCalendarMonth(time, anchor) + 1, anchor);
}
