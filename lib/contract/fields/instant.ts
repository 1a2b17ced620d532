import { z } from 'zod';

/** Formats a time as RFC 3339 in UTC with milliseconds. Every time in an answer has this form. */
export function toInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Works like `toInstant`, and returns null for null. */
export function toInstantOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toInstant(milliseconds);
}

/** A time in an answer. */
export const InstantSchema = z.iso
  .datetime({ precision: 3 })
  .describe('RFC 3339, UTC, milliseconds.')
  .meta({ example: '2026-11-20T12:00:00.000Z' });

const LEAP_SECOND = /(T\d\d:\d\d):60(?:\.\d+)?(?=(?:Z|[+-]\d\d:\d\d)$)/;

/** Converts `t` and `z` to upper case. Both may be lower case (RFC 3339 section 5.6). */
function toUsualSpelling(text: string): string {
  const upper = text.replace(/^(\d{4}-\d\d-\d\d)t/, '$1T').replace(/z$/, 'Z');
  return LEAP_SECOND.test(upper) ? withoutLeapSecond(upper) : upper;
}

/**
 * Replaces a leap second by the end of the second before it. It exists only at the end of a day in UTC (RFC 3339
 * section 5.7).
 */
function withoutLeapSecond(text: string): string {
  const before = text.replace(LEAP_SECOND, '$1:59.999');
  const milliseconds = Date.parse(before);
  return Number.isFinite(milliseconds) && toInstant(milliseconds).endsWith('T23:59:59.999Z') ? before : text;
}

/** A time as text: RFC 3339 with an offset. */
export const InstantText = z
  .string()
  .overwrite(toUsualSpelling)
  .datetime({ offset: true, error: 'must be an RFC 3339 time with an offset' });

/**
 * A time in a request: RFC 3339 with an offset, parsed to milliseconds since the Unix epoch. Seconds are required.
 * Years are 1 to 9999. Fractions beyond a millisecond are cut off.
 */
export const InstantInput = InstantText.refine(
  (text) => !text.startsWith('0000'),
  'must be an RFC 3339 time with an offset',
)
  .transform((text) => Date.parse(text))
  .refine(Number.isFinite, 'must be an RFC 3339 time with an offset');

/** Filters of a list by time. */
export const timeRange = {
  from: InstantInput.optional().describe('Not before this time.'),
  to: InstantInput.optional().describe('Before this time.'),
};

/** Returns the latest possible expiry: ten calendar years ahead, in UTC. */
export function tenYearsAhead(now: number): number {
  const date = new Date(now);
  return date.setUTCFullYear(date.getUTCFullYear() + 10);
}

/** End of an entry. The operation checks against the clock that it is in the future. */
export const ExpiryInput = InstantInput.nullish().describe(
  'In the future, at most 10 years ahead; null or absent means never.',
);
