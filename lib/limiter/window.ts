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
export function findSlotExpiry(slot: number, seconds: Seconds): Millis {
  return slotStart(slot + VISIBLE_SLOTS, seconds);
}

/**
 * Months that begin on another day than the first, or whose numbers are shifted: a key whose anchor was moved keeps the
 * number of the month that runs, and with it what that has counted (`moveAnchor`).
 */
export interface MonthAnchor {
  /** 1 to 31; the last day of a month that has fewer. */
  readonly day: number;
  readonly shift: number;
  /** As `monthAt`. */
  at(time: Millis): number;
  /** As `monthStart`. */
  start(month: number): Millis;
}

/** The month that was asked for last: dates are slow, and most calls ask for the same month. */
let last = 0;
let lastStart = 0;
let lastEnd = 0;

/**
 * The number of the month of a time in UTC: `year * 12 + month`, with January = 0, of the calendar month in which it
 * begins, plus the shift of its anchor.
 */
export function monthAt(time: Millis, anchor?: MonthAnchor): number {
  if (anchor) return anchor.at(time);
  if (time < lastStart || time >= lastEnd) {
    const date = new Date(time);
    last = date.getUTCFullYear() * 12 + date.getUTCMonth();
    lastStart = monthStart(last);
    lastEnd = monthStart(last + 1);
  }
  return last;
}

/** The first millisecond of a month, in UTC. */
export function monthStart(month: number, anchor?: MonthAnchor): Millis {
  return anchor ? anchor.start(month) : Date.UTC(2000, month - 24_000);
}

/** When the month ends that a time lies in: the first millisecond of the next one. */
export function monthEnd(time: Millis, anchor?: MonthAnchor): Millis {
  return monthStart(monthAt(time, anchor) + 1, anchor);
}
