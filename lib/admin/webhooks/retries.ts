import type { Millis } from '@/lib/units';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses before the second to the eighth attempt: about a day in all. */
const PAUSES = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 15 * HOUR];

/** Attempts until a delivery is given up. */
export const MOST_ATTEMPTS = PAUSES.length + 1;

/** A pause that a receiver asks for is kept to up to this. */
const LONGEST_ASKED = HOUR;

/**
 * The pause after a failed attempt; null when it was the last. Up to a tenth longer, so that receivers that come back
 * are not met by everything at once.
 * @param attempts that were made @param asked `Retry-After` of the answer @param random 0 to 1
 */
export function pauseAfter(attempts: number, asked: Millis | null, random: number): Millis | null {
  const pause = PAUSES[attempts - 1];
  if (pause === undefined) return null;
  return Math.round(Math.max(pause, Math.min(asked ?? 0, LONGEST_ASKED)) * (1 + random / 10));
}
