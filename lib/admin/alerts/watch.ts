import { watchBursts } from '@/lib/admin/alerts/bursts';
import { watchExceptions } from '@/lib/admin/alerts/exceptions';
import { watchForecasts } from '@/lib/admin/alerts/forecasts';
import { HealthWatch } from '@/lib/admin/alerts/health-watch';
import { resolveThresholds } from '@/lib/admin/alerts/quota-thresholds';
import type { Services } from '@/lib/operation/services';

interface AlertWatch {
  /** How often it looks, in seconds. */
  seconds: number;
  look: () => Promise<void>;
}

/** What looks for something to tell. Thresholds of quotas are noticed as keys are used. */
export function alertWatches(services: Services, health = new HealthWatch(services)): readonly AlertWatch[] {
  return [
    { seconds: 5, look: () => health.look() },
    { seconds: 15, look: () => watchBursts(services) },
    { seconds: 30, look: () => resolveThresholds(services) },
    { seconds: 30, look: () => watchExceptions(services) },
    { seconds: 300, look: () => watchForecasts(services) },
    { seconds: 60, look: keysAnew(services) },
  ];
}

/** How many calls pass from one look at all keys to the next. */
const CALLS_BETWEEN = 10;

/**
 * Has all keys looked at by `markQuotaThresholds`, with the first call and every tenth: for what no request follows, as a
 * smaller quota, and for keys that a process has served that was killed.
 */
function keysAnew({ statistics, rules }: Services): () => Promise<void> {
  let calls = 0;
  return async () => {
    if (calls % CALLS_BETWEEN === 0) statistics.usage.keepKeys([...rules.current.keysById.keys()]);
    calls += 1;
  };
}
