import { HOUR, MINUTE, type Millis, SECOND } from '@/lib/units';

/** Pauses before the second to the eighth attempt, about a day in total. */
const PAUSES = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 15 * HOUR];

/** Attempts before a delivery fails. */
export const MOST_ATTEMPTS = PAUSES.length + 1;

/** Longest pause that a receiver can request. */
const LONGEST_RETRY_AFTER = HOUR;

/**
 * Computes the pause after a failed attempt. Null after the last one.
 * Adds up to a tenth at random, so that a recovered receiver does not get all deliveries at once.
 * @param attempts number made so far
 * @param retryAfter `Retry-After` of the answer
 * @param random from 0 to 1
 */
export function pauseAfter(attempts: number, retryAfter: Millis | null, random: number): Millis | null {
  const pause = PAUSES[attempts - 1];
  if (pause === undefined) return null;
  return Math.round(Math.max(pause, Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER)) * (1 + random / 10));
}
