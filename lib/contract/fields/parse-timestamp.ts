import type { Millis } from '@/lib/units';

const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(\.\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * Parses an RFC 3339 time with an offset. Letters may be lower case (section 5.6). Years are 1 to 9999. Fractions beyond
 * a millisecond are cut off. A leap second is the last millisecond of its day, and exists only at the end of a day in
 * UTC (section 5.7).
 * @returns milliseconds since the Unix epoch, or null for any other text
 */
export function parseTimestamp(text: string): Millis | null {
  const [, date = '', minute, second, fraction = '', offset = ''] = RFC_3339.exec(text) ?? [];
  // JavaScript reads 30 February as 2 March.
  const day = Date.parse(`${date}T00:00:00Z`);
  if (date.startsWith('0000') || Number.isNaN(day) || !new Date(day).toISOString().startsWith(date)) return null;
  const end = second === '60' ? '59.999' : `${second}${fraction}`;
  const milliseconds = Date.parse(`${date}T${minute}:${end}${offset.toUpperCase()}`);
  const isLeap = second === '60' && new Date(milliseconds).toISOString().endsWith('T23:59:59.999Z');
  return second === '60' && !isLeap ? null : milliseconds;
}
