import type { Millis } from '@/lib/units';

/** Number of requests that would have been refused without an exemption. */
export interface ExceptionNeed {
  atLeast: number;
  since: Millis;
}
