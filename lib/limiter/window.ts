import type { Millis, Seconds } from '@/lib/units';

/** Slots of a sliding window. */
export const SLOTS = 60;

/**
 * Slots that a window adds up: its 60 and the one that is just leaving. A hit in slot `s` still counts in slot `s + 60`,
 * so any two hits no more than one window length apart are counted together, and no interval of that length (ends
 * included) holds more than the limit. Room comes back one slot late at most.
 */
export const VISIBLE_SLOTS = SLOTS + 1;

/** The slot of a time. @param seconds length of the window, a whole number, at least 1 */
export function slotAt(time: Millis, seconds: Seconds): number {
  return Math.floor((time * SLOTS) / (seconds * 1000));
}

/** The first whole millisecond of a slot. */
export function slotStart(slot: number, seconds: Seconds): Millis {
  return Math.ceil((slot * seconds * 1000) / SLOTS);
}

/** The first millisecond at which no window sees the slot any more. */
export function slotGone(slot: number, seconds: Seconds): Millis {
  return slotStart(slot + VISIBLE_SLOTS, seconds);
}

/**
 * Months that begin on another day than the first, or whose numbers are shifted: a key whose anchor was moved keeps the
 * number of the month that runs, and with it what that has counted (`movedAnchor`).
 */
export interface MonthAnchor {
  /** 1 to 31; the last day of a month that has fewer. */
  readonly day: number;
  readonly shift: number;
}

/** The month that was asked for last: dates are slow, and hardly anybody asks for another one. */
let last = { month: 0, start: 0, end: 0 };

/**
 * The number of the month of a time in UTC: `year * 12 + month`, with January = 0, of the calendar month in which it
 * begins, plus the shift of its anchor.
 */
export function monthAt(time: Millis, anchor?: MonthAnchor): number {
  const month = calendarMonthAt(time);
  if (anchor === undefined) return month;
  return (time < anchorDay(month, anchor.day) ? month - 1 : month) + anchor.shift;
}

function calendarMonthAt(time: Millis): number {
  if (time >= last.start && time < last.end) return last.month;
  const date = new Date(time);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
  last = { month, start: monthStart(month), end: monthStart(month + 1) };
  return month;
}

/** The first millisecond of a month, in UTC. */
export function monthStart(month: number, anchor?: MonthAnchor): Millis {
  if (anchor !== undefined) return anchorDay(month - anchor.shift, anchor.day);
  return Date.UTC(Math.floor(month / 12), month % 12, 1);
}

/** When the month ends that a time lies in: the first millisecond of the next one. */
export function monthEnd(time: Millis, anchor?: MonthAnchor): Millis {
  return monthStart(monthAt(time, anchor) + 1, anchor);
}

function anchorDay(month: number, day: number): Millis {
  const year = Math.floor(month / 12);
  const lastDay = new Date(Date.UTC(year, (month % 12) + 1, 0)).getUTCDate();
  return Date.UTC(year, month % 12, Math.min(day, lastDay));
}
