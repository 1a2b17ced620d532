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

/** The month that was asked for last: dates are slow, and hardly anybody asks for another one. */
let last = { month: 0, start: 0, end: 0 };

/** The calendar month of a time in UTC, as `year * 12 + month` with January = 0. */
export function monthAt(time: Millis): number {
  if (time >= last.start && time < last.end) return last.month;
  const date = new Date(time);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
  last = { month, start: monthStart(month), end: monthStart(month + 1) };
  return month;
}

/** The first millisecond of a month, in UTC. */
export function monthStart(month: number): Millis {
  return Date.UTC(Math.floor(month / 12), month % 12, 1);
}
