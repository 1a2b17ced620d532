const UNITS = [
  ['seconds', 1_000],
  ['milliseconds', 1],
  ['microseconds', 1e-3],
  ['nanoseconds', 1e-6],
] as const;

/** The first number of seconds that is taken for another unit: the year 5138. */
const OTHER_UNIT_FROM = 1e11;

/** A time in a token, in the unit that makes it a plausible date. */
interface NumericDate {
  /** Milliseconds since the epoch. */
  at: number;
  /** RFC 7519 section 2 allows seconds only. */
  unit: (typeof UNITS)[number][0];
}

/** Reads a NumericDate (RFC 7519 section 2), and the units that are mistaken for seconds. Null if it is no date. */
export function readNumericDate(value: unknown): NumericDate | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  const size = Math.abs(value);
  const place = UNITS.findIndex((_, index) => size < OTHER_UNIT_FROM * 1_000 ** index);
  const [unit, milliseconds] = UNITS[place] ?? [];
  return unit === undefined ? null : { at: value * milliseconds, unit };
}
