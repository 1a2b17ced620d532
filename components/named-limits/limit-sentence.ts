import { uncapitalize } from '@/lib/capitalize';
import type { LimitWindow } from '@/lib/contract/fields/named-limit';
import { formatNumber } from '@/lib/format-number';
import { chooseLargestUnit } from '@/lib/units';

/** A limit whose numbers may be incomplete, as they are typed. */
interface DescribedLimit {
  windows: readonly LimitWindow[];
  in_flight?: { limit: number } | null;
  unit?: string;
}

/** Names the period of a window: `any second`, `any 30 seconds`, `each month`, `each month from day 15`. */
function namePeriod({ seconds, day = 1 }: LimitWindow): string {
  if (seconds === 'month') return day === 1 ? 'each month' : `each month from day ${day}`;
  const [count, unit] = chooseLargestUnit(seconds);
  return count === 1 ? `any ${unit}` : `any ${formatNumber(count)} ${unit}s`;
}

const isComplete = ({ limit, seconds, day = 1 }: LimitWindow) =>
  Number.isInteger(limit) && limit >= 0 && Number.isInteger(day) && (seconds === 'month' || isPositive(seconds));

const isPositive = (value: number) => Number.isInteger(value) && value > 0;

/** Words for a limit of 0. */
const NOTHING = 'Nothing';

const joined = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/**
 * Says what windows and places admit: `At most 10 in any second and 1,000 in any hour`. Empty if a number is missing or
 * invalid.
 */
export function describeNumbers({ windows, in_flight: places, unit = 'requests' }: DescribedLimit): string {
  const isPlaces = places != null && Number.isInteger(places.limit) && places.limit >= 0;
  if (!windows.every(isComplete) || (places != null && !isPlaces)) return '';
  if (windows.length === 0 && !isPlaces) return '';
  if (windows.some(({ limit }) => limit === 0) || places?.limit === 0) return NOTHING;
  const noun = unit === 'requests' || unit === '' ? '' : ` ${unit}`;
  const parts = windows.map((window) => ({ limit: window.limit, words: `in ${namePeriod(window)}` }));
  if (isPlaces) parts.push({ limit: places.limit, words: 'in flight at once' });
  // The unit is in the plural.
  const named = parts.findIndex(({ limit }) => limit > 1);
  const words = parts.map((part, index) => `${formatNumber(part.limit)}${index === named ? noun : ''} ${part.words}`);
  return `At most ${joined.format(words)}`;
}

/** Says the same within a sentence: `at most 10 in any second and 1,000 in any hour`. */
export function describeNumbersInline(limit: DescribedLimit): string {
  return uncapitalize(describeNumbers(limit));
}

/** Says what a limit means: `At most 10 in any second and 1,000 in any hour, for each subject.` */
export function describeLimit(limit: DescribedLimit): string {
  const numbers = describeNumbers(limit);
  if (numbers === NOTHING) return 'Nothing: a limit of 0 refuses everything.';
  return numbers === '' ? '' : `${numbers}, for each subject.`;
}
