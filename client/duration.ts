/** Maximum delay of `setTimeout` in milliseconds, about 24.8 days. Longer delays would fire at once. */
const LONGEST = 2 ** 31 - 1;

/**
 * Validates a number of milliseconds and limits it to the maximum of a timer: `Infinity` waits 24.8 days.
 * @param least 0 also allows 0
 * @throws TypeError that names the option
 */
export function readDuration(name: string, value: unknown, least: 0 | 1 = 1): number {
  if (typeof value === 'number' && (least === 0 ? value >= 0 : value > 0)) return Math.min(value, LONGEST);
  throw new TypeError(`\`${name}\` must be a number of milliseconds${least === 0 ? ', 0 or more' : ' above 0'}.`);
}
