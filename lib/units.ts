/*
 * Numbers with a unit. `Millis` and `Seconds` are not assignable to each other; plain numbers, such as the result of any
 * arithmetic, are assignable to both.
 */
declare const unit: unique symbol;

/** Milliseconds since the Unix epoch, or a length of time in milliseconds. */
export type Millis = number & { readonly [unit]?: 'ms' };

/** Whole seconds. */
export type Seconds = number & { readonly [unit]?: 's' };

export const SECOND: Millis = 1_000;
export const MINUTE: Millis = 60 * SECOND;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Expresses a length in the largest unit that divides it: 90 seconds, 2 hours. */
export function chooseLargestUnit(seconds: Seconds): [count: number, unit: (typeof UNITS)[number][0]] {
  const [unit, length] = UNITS.find(([, each]) => seconds % each === 0) ?? ['second', 1];
  return [seconds / length, unit];
}
