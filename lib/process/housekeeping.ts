import { markQuotaThresholds } from '@/lib/admin/keys/mark-quota-thresholds';
import { tidy } from '@/lib/admin/service/run-housekeeping';
import type { Services } from '@/lib/operation/services';

const SECOND = 1_000;

/**
 * Runs the periodic work of the process: sweeps expired counters, republishes the revision to the counter store, reads
 * the rules (which notices a restored database when no decision does), marks quota thresholds, deletes what has expired.
 * @returns stops it, and writes what the recorder still holds
 */
export function startHousekeeping(services: Services): () => Promise<void> {
  const { logger, counters, rules, statistics } = services;
  const every = (milliseconds: number, failure: string, work: () => Promise<unknown>) => {
    let running = false;
    const run = async () => {
      if (running) return;
      running = true;
      await work().catch((error: unknown) => logger.warn({ err: error }, failure));
      running = false;
    };
    return setInterval(() => void run(), milliseconds).unref();
  };
  // Rows per sweep. On the embedded file a pass over a million takes under two minutes, in steps of a few ms.
  const budget = counters.kind === 'embedded' ? 10_000 : 500;
  const timers = [
    every(SECOND, 'sweeping counters failed', () => counters.sweep(budget)),
    every(SECOND, 'publishing the revision to the counter store failed', () => rules.republish(counters)),
    every(2 * SECOND, 'refreshing the rules failed', () => rules.fresh()),
    every(5 * SECOND, 'marking quota thresholds failed', () => markQuotaThresholds(services)),
    every(60 * SECOND, 'deleting expired rows failed', () => tidy(services)),
    every(5 * SECOND, 'checking the database file failed', fileCheck(services)),
  ];
  statistics.start();
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await statistics.stop();
  };
}

/** Logs once that the database file was deleted or replaced. */
function fileCheck({ database, logger }: Services): () => Promise<void> {
  let logged = false;
  return async () => {
    if (logged || database.isInPlace()) return;
    logged = true;
    logger.error('the database file was deleted or replaced while it was open: changes are refused, restart Sluice');
  };
}
