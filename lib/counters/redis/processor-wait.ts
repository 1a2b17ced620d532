import { readFileSync } from 'node:fs';
import type { Millis } from '@/lib/units';

/** The main thread's time on a processor and its time of waiting for one, in ns (Linux, scheduler/sched-stats.rst). */
const SCHEDSTAT = '/proc/self/schedstat';

/** How long the main thread has waited for a processor while it had work, so far; null where the system does not say. */
export function processorWait(): Millis | null {
  try {
    const [ran = 0, waited = 0] = readFileSync(SCHEDSTAT, 'utf8').split(' ').map(Number);
    // A kernel without statistics says 0 of all.
    return ran > 0 ? waited / 1e6 : null;
  } catch {
    return null;
  }
}
