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

/** The calendar month of a time in UTC, as `year * 12 + month` with January = 0. */
export function monthAt(time: Millis): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** The first millisecond of a month, in UTC. */
export function monthStart(month: number): Millis {
  return Date.UTC(Math.floor(month / 12), month % 12, 1);
}
