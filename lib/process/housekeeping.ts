import { lt } from 'drizzle-orm';
import { idempotency, sessions } from '@/drizzle/schema';
import { markQuotaThresholds } from '@/lib/admin/keys/mark-quota-thresholds';
import { forgetOldSignIns } from '@/lib/auth/sign-in-log';
import type { Services } from '@/lib/operation/services';

const SWEEP_EVERY = 1_000;
/** Rows looked at in a turn. On the embedded file a pass over a million takes under two minutes, in steps of a few ms. */
const SWEEP_BUDGET = { embedded: 10_000, shared: 500 };
/** How soon a database that went back is noticed where no decision tells. */
const RULES_EVERY = 2_000;
const TIDY_EVERY = 60_000;
const THRESHOLDS_EVERY = 5_000;
const FILE_EVERY = 5_000;

/** Deletes what has ended, in small steps: kept answers, sessions, old sign-ins, the lab's tickets, old statistics. */
export async function tidy(services: Services): Promise<void> {
  const now = services.clock();
  const { drizzle } = services.database;
  await drizzle.delete(idempotency).where(lt(idempotency.expiresAt, now));
  await drizzle.delete(sessions).where(lt(sessions.expiresAt, now));
  await forgetOldSignIns(services.database, now);
  await services.labState.cleanUp(now);
  await services.statistics.maintain(now);
}

/**
 * Keeps the house while the process runs: sweeps dead counters, tells the counter store what it missed, reads
 * the rules, tidies up.
 * @returns stops it, and writes what the recorder still holds
 */
export function startHousekeeping(services: Services): () => Promise<void> {
  const { logger, counters, rules, statistics } = services;
  const complain = (what: string) => (error: unknown) => logger.warn({ err: error }, what);
  const every = (milliseconds: number, what: string, work: () => Promise<unknown>) => {
    let running = false;
    const timer = setInterval(() => {
      if (running) return;
      running = true;
      work()
        .catch(complain(what))
        .finally(() => {
          running = false;
        });
    }, milliseconds);
    timer.unref();
    return timer;
  };
  const timers = [
    every(SWEEP_EVERY, 'sweeping counters failed', () =>
      counters.sweep(counters.kind === 'embedded' ? SWEEP_BUDGET.embedded : SWEEP_BUDGET.shared),
    ),
    every(SWEEP_EVERY, 'telling the counter store the revision failed', () => rules.republish(counters)),
    every(RULES_EVERY, 'looking for changes of the rules failed', () => rules.fresh()),
    every(THRESHOLDS_EVERY, 'marking quota thresholds failed', () => markQuotaThresholds(services)),
    every(TIDY_EVERY, 'tidying up failed', () => tidy(services)),
    every(FILE_EVERY, 'looking after the database file failed', fileWatch(services)),
  ];
  statistics.start();
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await statistics.stop();
  };
}

/** Says once that the database file was deleted or replaced. */
function fileWatch({ database, logger }: Services): () => Promise<void> {
  let told = false;
  return async () => {
    if (told || database.isInPlace()) return;
    told = true;
    logger.error('the database file was deleted or replaced while it was open: changes are refused, restart Sluice');
  };
}
