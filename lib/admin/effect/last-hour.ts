import { PARTS } from '@/lib/statistics/demand';
import { HOUR, MINUTE } from '@/lib/statistics/step';

/** What comes before the hour that is counted, to fill the windows. */
export const WARM_UP = HOUR;
export const COUNT_FROM = (WARM_UP / MINUTE) * PARTS;

/** Requests of the hour that is counted. */
export function counted(parts: Float64Array): number {
  return parts.subarray(COUNT_FROM).reduce((sum, requests) => sum + requests, 0);
}
