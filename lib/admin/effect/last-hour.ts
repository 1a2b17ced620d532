import { PARTS } from '@/lib/statistics/demand';
import { HOUR, MINUTE } from '@/lib/units';

/** Time replayed before the counted hour, to fill the windows. */
export const WARM_UP = HOUR;
export const COUNT_FROM = (WARM_UP / MINUTE) * PARTS;

/** Sums the requests of the counted hour. */
export function sumLastHour(parts: Float64Array): number {
  return parts.subarray(COUNT_FROM).reduce((sum, requests) => sum + requests, 0);
}
