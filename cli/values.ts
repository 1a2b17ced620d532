import { isIP } from 'node:net';
import { createUsageFailure } from '@/cli/failure';
import { parseTimestamp } from '@/lib/contract/fields/parse-timestamp';
import { DAY, HOUR, MINUTE } from '@/lib/units';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: MINUTE,
  h: HOUR,
  d: DAY,
  w: 7 * DAY,
};

/** Parses `30m`, `1h30m`, `7d` to milliseconds. Null for anything else. Units: s, m, h, d, w. */
export function parseDuration(text: string): number | null {
  if (!/^(\d{1,9}[smhdw])+$/.test(text)) return null;
  return [...text.matchAll(/(\d+)([smhdw])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNIT_MS[unit ?? ''] ?? 0),
    0,
  );
}

/** Returns the time that is a duration from now. @param now in milliseconds @throws Failure */
export function addToNow(text: string, now: number): string {
  const length = parseDuration(text);
  if (length === null || length === 0) throw createUsageFailure('--for takes a time such as 30m, 2h, 1h30m, 7d or 2w.');
  return formatTime(now + length);
}

/** A date, with or without a time of day in UTC. */
const SHORT_FORM = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?)?$/i;

/**
 * Parses a time: RFC 3339 as in requests, or a date with or without a time of day in UTC.
 * @throws Failure
 */
export function parseTime(flag: string, text: string): string {
  const [short, date, minute = '00:00', second = ':00'] = SHORT_FORM.exec(text) ?? [];
  const time = parseTimestamp(short === undefined ? text : `${date}T${minute}${second}Z`);
  if (time === null)
    throw createUsageFailure(`--${flag} takes a time such as 2026-12-01, 2026-12-01T18:00 (UTC) or RFC 3339.`);
  return formatTime(time);
}

/** Parses a time like `parseTime`, or a duration before now: `2h`. */
export function parseTimeOrAgo(flag: string, text: string, now: number): string {
  const length = parseDuration(text);
  return length === null ? parseTime(flag, text) : formatTime(now - length);
}

/** @throws Failure for a time that no calendar has */
function formatTime(milliseconds: number): string {
  if (Math.abs(milliseconds) > 8.64e15) throw createUsageFailure('That is too far from now.');
  return new Date(milliseconds).toISOString();
}

/** Parses a whole number, with optional `_` or `,` between digits. @throws Failure */
export function parseWholeNumber(flag: string, text: string): number {
  const digits = text.replace(/(?<=\d)[_,](?=\d{3})/g, '');
  const number = Number(digits);
  if (!/^-?\d+$/.test(digits) || !Number.isSafeInteger(number))
    throw createUsageFailure(`--${flag} takes a whole number.`);
  return number;
}

/** True if the text is an IP address or a range. */
export function isAddress(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128));
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** True if the text is probably a mistyped address, which must not be taken for a user. */
export function isLikelyAddress(text: string): boolean {
  return /^[\d.]+(\/.*)?$/.test(text) || /^[0-9a-f]*:[0-9a-f:.]*(\/.*)?$/i.test(text);
}
