/** The longest delay of `setTimeout` in milliseconds, some 24.8 days: it runs at once with a longer one. */
const LONGEST = 2 ** 31 - 1;

/**
 * A number of milliseconds for a timer, at most what a timer takes: `Infinity` waits for 24.8 days.
 * @param least 0 takes 0 as well
 * @throws TypeError that names the option
 */
export function readDuration(name: string, value: unknown, least: 0 | 1 = 1): number {
  if (typeof value === 'number' && (least === 0 ? value >= 0 : value > 0)) return Math.min(value, LONGEST);
  throw new TypeError(`\`${name}\` must be a number of milliseconds${least === 0 ? ', 0 or more' : ' above 0'}.`);
}
