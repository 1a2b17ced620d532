import { randomUUID } from 'node:crypto';
import { markQuotaThresholds } from '@/lib/admin/alerts/mark-quota-thresholds';
import { listAlertWatches } from '@/lib/admin/alerts/watch';
import { tidy } from '@/lib/admin/housekeeping/tidy';
import { DeliverySender } from '@/lib/admin/webhooks/delivery-sender';
import { SWEEP_EVERY } from '@/lib/counters/leases';
import { recordProcess, removeProcess, SIGN_OF_LIFE } from '@/lib/db/running-processes';
import { isOutage } from '@/lib/fault';
import type { Services } from '@/lib/operation/services';
import { SECOND } from '@/lib/units';

/**
 * Runs the periodic work of the process. It sweeps expired counters, republishes the revision to the counter store, and
 * reads the rules, which detects a restored database even without decisions. It marks quota thresholds, checks for
 * alerts, sends due webhook deliveries, and deletes expired rows.
 * @returns a function that stops it, and writes the recorder's data
 */
export function startHousekeeping(services: Services): () => Promise<void> {
  const { logger, counters, database, rules, statistics, leases } = services;
  const id = randomUUID();
  const sender = new DeliverySender(services);
  const repeat = (milliseconds: number, failure: string, work: () => Promise<unknown>) => {
    let running = false;
    const run = async () => {
      if (running) return;
      running = true;
      await work().catch((error: unknown) => logger[isOutage(error) ? 'debug' : 'warn']({ err: error }, failure));
      running = false;
    };
    return setInterval(() => void run(), milliseconds).unref();
  };
  // Rows per sweep. In the embedded file, a pass over a million rows takes under two minutes, in steps of a few
  // milliseconds.
  const budget = counters.kind === 'embedded' ? 10_000 : 500;
  const timers = [
    repeat(SECOND, 'sweeping counters failed', () => counters.sweep(budget)),
    repeat(SECOND, 'publishing the revision to the counter store failed', () => rules.republish(counters)),
    repeat(2 * SECOND, 'refreshing the rules failed', () => rules.readFresh()),
    repeat(5 * SECOND, 'marking quota thresholds failed', () => markQuotaThresholds(services)),
    ...listAlertWatches(services).map(({ seconds, check }) =>
      repeat(seconds * SECOND, 'looking for alerts failed', check),
    ),
    repeat(SECOND, 'sending what webhooks wait for failed', () => sender.sendDue()),
    repeat(60 * SECOND, 'deleting expired rows failed', () => tidy(services)),
    ...(leases === undefined ? [] : [setInterval(() => leases.sweep(), SWEEP_EVERY).unref()]),
    ...(counters.kind === 'redis'
      ? [repeat(60 * SECOND, 'reaching the counter store failed', () => counters.ping())]
      : []),
    repeat(5 * SECOND, 'checking the database file failed', createFileCheck(services)),
    repeat(SIGN_OF_LIFE, 'telling the database of this process failed', () => recordProcess(database, id)),
  ];
  statistics.start();
  recordProcess(database, id).catch((error: unknown) =>
    logger.warn({ err: error }, 'telling the database of this process failed'),
  );
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await sender.stop();
    await removeProcess(database, id).catch(() => undefined);
    await statistics.stop();
  };
}

/** Logs once that the database file was deleted or replaced. */
function createFileCheck({ database, logger }: Services): () => Promise<void> {
  let logged = false;
  return async () => {
    if (logged || database.isInPlace()) return;
    logged = true;
    logger.error('the database file was deleted or replaced while it was open: changes are refused, restart Sluice');
  };
}
