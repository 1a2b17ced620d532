import { DAY, HOUR, MINUTE, SECOND } from '@/lib/units';

/** Time in milliseconds, or as RFC 3339. */
type Time = number | string;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Caches one formatter per zone and format, because formatters are expensive to create. */
function format(zone: string, options: Intl.DateTimeFormatOptions, locale = 'en-GB'): Intl.DateTimeFormat {
  const key = `${locale} ${zone} ${JSON.stringify(options)}`;
  const found = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: zone, hourCycle: 'h23' });
  formats.set(key, found);
  return found;
}

/** `2026-11-20 12:00:00 UTC` */
export function formatUtc(at: Time): string {
  const iso = new Date(at).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

/** English zone names differ by region: EST is American, CET British, AEST Australian. */
const REGIONS = ['en-US', 'en-GB', 'en-AU', 'en-IN', 'en-ZA'];

const zoneNames = new Map<string, string>();

/**
 * Returns the zone's name at that time: `UTC`, `CET`, `EST`, or `GMT+5:45` if English has no name for it. Names are
 * cached for ten minutes each, because every time of a list has one. No zone changes its clocks in between.
 */
export function nameZone(at: Time, zone: string): string {
  const time = new Date(at);
  const key = zone + time.toISOString().slice(0, 15);
  const name = zoneNames.get(key) ?? findZoneName(time, zone);
  zoneNames.set(key, name);
  return name;
}

function findZoneName(at: Date, zone: string): string {
  const names = REGIONS.map(
    (locale) =>
      format(zone, { timeZoneName: 'short' }, locale)
        .formatToParts(at)
        .find(({ type }) => type === 'timeZoneName')?.value ?? zone,
  );
  return names.find((name) => !/\d/.test(name)) ?? names[0] ?? zone;
}

/** Formats the time of day: `12:00`. */
export function formatClock(at: Time, zone: string): string {
  return format(zone, { hour: '2-digit', minute: '2-digit' }).format(new Date(at));
}

/** Formats a date: `20 Nov`. The year is added if it differs from that of `now`. */
export function formatDate(at: Time, zone: string, now: Time = at): string {
  const formatYear = (time: Time) => format(zone, { year: 'numeric' }).format(new Date(time));
  const date = format(zone, { day: 'numeric', month: 'short' }).format(new Date(at));
  return formatYear(at) === formatYear(now) ? date : `${date} ${formatYear(at)}`;
}

/** Formats a time: `20 Nov 2026, 12:00 UTC`. `seconds` adds the seconds. */
export function formatAbsoluteTime(at: Time, zone: string, { seconds = false } = {}): string {
  const options: Intl.DateTimeFormatOptions = {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds ? { second: '2-digit' } : {}),
  };
  return `${format(zone, options).format(new Date(at))} ${nameZone(at, zone)}`;
}

/**
 * Formats a time as briefly as is unambiguous, for sentences: `10:42:10 CET` within a day of `now`, else `20 Nov, 12:00
 * CET`.
 */
export function formatShortTime(at: Time, now: Time, zone: string): string {
  const [time, present] = [new Date(at).getTime(), new Date(now).getTime()];
  if (Math.abs(time - present) < DAY / 2) {
    const clock = format(zone, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(time);
    return `${clock} ${nameZone(time, zone)}`;
  }
  return `${formatDate(time, zone, present)}, ${formatClock(time, zone)} ${nameZone(time, zone)}`;
}

/** Returns the exact time in both zones, the chosen one first. */
export function formatExactTimes(at: Time, zone: string, reader: string): string {
  const utc = formatUtc(at);
  if (isUtc(reader)) return utc;
  const local = formatAbsoluteTime(at, reader, { seconds: true });
  return isUtc(zone) ? `${utc}\n${local}` : `${local}\n${utc}`;
}

/** Returns the exact time in the zone that is not shown. It is UTC if the reader's own zone is UTC. */
export function formatOtherTime(at: Time, zone: string, reader: string): string {
  return isUtc(zone) && !isUtc(reader) ? formatAbsoluteTime(at, reader, { seconds: true }) : formatUtc(at);
}

export function isUtc(zone: string): boolean {
  return nameZone(0, zone) === 'UTC';
}

/** Distance in milliseconds beyond which a date replaces a relative time. */
export const FAR = 7 * DAY;

/**
 * Formats a time for `<input type="datetime-local">`: `2026-11-20T12:00`. Empty if there is no time, or if the clock
 * shows a year beyond 9999.
 */
export function formatWallClock(at: string, zone: string): string {
  const time = Date.parse(at);
  const shown = Number.isNaN(time) ? '' : new Date(time + findOffset(time, zone)).toISOString();
  return shown.startsWith('+') ? '' : shown.slice(0, 16);
}

/**
 * Returns the time at which a clock in `zone` shows `text`, as RFC 3339. Empty if there is no time. Inverse of
 * `formatWallClock`.
 */
export function parseWallClock(text: string, zone: string): string {
  const shown = Date.parse(`${text}Z`);
  if (Number.isNaN(shown)) return '';
  const guess = shown - findOffset(shown, zone);
  return new Date(shown - findOffset(guess, zone)).toISOString();
}

/** Returns local time minus UTC, in milliseconds. Before zones had whole minutes, it has seconds. */
export function findOffset(at: number, zone: string): number {
  const shown = format(zone, { timeZoneName: 'longOffset' }, 'en-US').format(at);
  // The text ends with `GMT-04:56:02`, `GMT+05:45`, or `GMT` alone.
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(shown) ?? [];
  const distance = Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * SECOND;
  return sign === '-' ? -distance : distance;
}
