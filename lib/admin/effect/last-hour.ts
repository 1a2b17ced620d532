import type { Context } from '@/lib/operation/context';
import { type DemandScope, type DemandSubject, PARTS, readDemand } from '@/lib/statistics/demand';
import { findStart } from '@/lib/statistics/step';
import { HOUR, MINUTE } from '@/lib/units';

/** Time replayed before the counted hour, to fill the windows. */
export const WARM_UP = HOUR;
export const COUNT_FROM = (WARM_UP / MINUTE) * PARTS;

/** Demand of the last whole hour, and of the hour before, which fills the windows. Reads each subject and scope once. */
export class LastHourDemand {
  readonly #read = new Map<string, ReturnType<typeof readDemand>>();

  constructor(readonly context: Pick<Context, 'services' | 'now'>) {}

  read(subject: DemandSubject, scope: DemandScope): ReturnType<typeof readDemand> {
    const { services, now } = this.context;
    const to = findStart(now, MINUTE);
    const key = `${subject}|${scope}`;
    const demand = this.#read.get(key) ?? readDemand(services.database, subject, scope, to - HOUR - WARM_UP, to);
    this.#read.set(key, demand);
    return demand;
  }
}

/** Sums the requests of the counted hour. */
export function sumLastHour(parts: Float64Array): number {
  return parts.subarray(COUNT_FROM).reduce((sum, requests) => sum + requests, 0);
}
