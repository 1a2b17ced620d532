import { z } from 'zod';
import { parseTimestamp } from '@/lib/contract/fields/parse-timestamp';

/** Last millisecond of the year 9999, the last one that RFC 3339 can express. */
const LAST = 253_402_300_799_999;

/**
 * Formats a time as RFC 3339 in UTC with milliseconds. Every time in an answer has this form. Later times become the
 * end of the year 9999.
 */
export function formatTimestamp(milliseconds: number): string {
  return new Date(Math.min(milliseconds, LAST)).toISOString();
}

/** Works like `formatTimestamp`, and returns null for null. */
export function formatTimestampOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : formatTimestamp(milliseconds);
}

/** A time in an answer. */
export const TimestampSchema = z.iso
  .datetime({ precision: 3 })
  .describe('RFC 3339, UTC, milliseconds.')
  .meta({ example: '2026-11-20T12:00:00.000Z' });

/** A time as text: RFC 3339 with an offset. */
export const TimestampText = z
  .string()
  .refine((text) => parseTimestamp(text) !== null, 'must be an RFC 3339 time with an offset')
  .meta({ format: 'date-time' });

/**
 * A time in a request: RFC 3339 with an offset, parsed to milliseconds since the Unix epoch. Seconds are required.
 * Years are 1 to 9999. Fractions beyond a millisecond are cut off.
 */
export const TimestampInput = TimestampText.transform((text) => parseTimestamp(text) ?? Number.NaN);

/** Filters of a list by time. */
export const timeRange = {
  from: TimestampInput.optional().describe('Not before this time.'),
  to: TimestampInput.optional().describe('Before this time.'),
};

/** Returns the latest possible expiry: ten calendar years ahead, in UTC. */
export function computeLatestExpiry(now: number): number {
  const date = new Date(now);
  return date.setUTCFullYear(date.getUTCFullYear() + 10);
}

/** End of an entry. The operation checks against the clock that it is in the future. */
export const ExpiryInput = TimestampInput.nullish().describe(
  'In the future, at most 10 years ahead; null or absent means never.',
);
