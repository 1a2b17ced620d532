import { watchBursts } from '@/lib/admin/alerts/bursts';
import { watchBypassShare } from '@/lib/admin/alerts/bypass-share';
import { watchExceptions } from '@/lib/admin/alerts/exceptions';
import { watchForecasts } from '@/lib/admin/alerts/forecasts';
import { HealthWatch } from '@/lib/admin/alerts/health-watch';
import { resolveThresholds } from '@/lib/admin/alerts/quota-thresholds';
import type { Services } from '@/lib/operation/services';

interface AlertWatch {
  /** Interval between checks, in seconds. */
  seconds: number;
  check: () => Promise<void>;
}

/** Lists the periodic checks that raise alerts. Keys in use report quota thresholds themselves. */
export function listAlertWatches(services: Services, health = new HealthWatch(services)): readonly AlertWatch[] {
  return [
    { seconds: 5, check: () => health.check() },
    { seconds: 15, check: () => watchBursts(services) },
    { seconds: 15, check: () => watchBypassShare(services) },
    { seconds: 30, check: () => resolveThresholds(services) },
    { seconds: 30, check: () => watchExceptions(services) },
    { seconds: 300, check: () => watchForecasts(services) },
    { seconds: 60, check: createKeyQueuer(services) },
  ];
}

/** Number of calls from one check of all keys to the next. */
const CALLS_BETWEEN = 10;

/**
 * Queues all keys for `markQuotaThresholds`, in the first call and every tenth.
 * This covers changes that no request follows, such as a smaller quota, and keys whose process was killed.
 */
function createKeyQueuer({ statistics, rules }: Services): () => Promise<void> {
  let calls = 0;
  return async () => {
    if (calls % CALLS_BETWEEN === 0) statistics.usage.keepKeys([...rules.current.keysById.keys()]);
    calls += 1;
  };
}
