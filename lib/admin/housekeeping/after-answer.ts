import { setTimeout as wait } from 'node:timers/promises';
import { markQuotaThresholds } from '@/lib/admin/alerts/mark-quota-thresholds';
import { claimRound } from '@/lib/admin/housekeeping/claim-round';
import { runLongRound, runShortRound, runSteps } from '@/lib/admin/housekeeping/rounds';
import { isOutage } from '@/lib/fault';
import type { Services } from '@/lib/operation/services';
import type { Millis } from '@/lib/units';

/** Shortest time between two short rounds, over all processes that share the database. */
export const SHORT_INTERVAL: Millis = 15_000;
/** Shortest time between two long rounds. */
export const LONG_INTERVAL: Millis = 600_000;
/** Shortest time between two short rounds that follow changes. */
const CHANGE_INTERVAL: Millis = 1_000;

/** Time at which each process last tried to claim a round. */
const lastTried = new WeakMap<Services, Millis>();

/**
 * Runs the work that follows an answer, for platforms that may freeze or end the process then. Writes statistics and
 * uses. Once in `SHORT_INTERVAL` the process also refreshes its rules and marks quota thresholds. Then one process, of
 * all that share the database, runs a round.
 *
 * Never throws. Ends within a minute, see `rounds.ts`.
 * @param hasChanged whether the request made a change, whose events must not wait for another request
 */
export async function workAfterAnswer(services: Services, hasChanged: boolean): Promise<void> {
  const { statistics, auth, rules, counters, clock, logger } = services;
  await Promise.all([statistics.flushAll(), auth.uses.flush()]);
  const now = clock();
  const last = lastTried.get(services);
  if (!hasChanged && last !== undefined && Math.abs(now - last) < SHORT_INTERVAL) return;
  lastTried.set(services, now);
  await runSteps([
    () => rules.readFresh(),
    () => rules.republish(counters),
    () => markQuotaThresholds(services),
    () => runClaimedRound(services, hasChanged),
  ]).catch((fault: unknown) => {
    logger[isOutage(fault) ? 'debug' : 'warn']({ err: fault }, 'work after an answer failed');
  });
}

async function runClaimedRound(services: Services, hasChanged: boolean): Promise<void> {
  const claim = (name: string, interval: Millis) =>
    claimRound(services.database, { name, interval, now: services.clock() });
  if (await claim('long', LONG_INTERVAL)) {
    await runLongRound(services);
    return;
  }
  if (await claim('short', hasChanged ? CHANGE_INTERVAL : SHORT_INTERVAL)) {
    await runShortRound(services);
    return;
  }
  if (!hasChanged) return;
  // The current round may have begun before the change.
  await wait(CHANGE_INTERVAL);
  if (await claim('short', CHANGE_INTERVAL)) await runShortRound(services);
}
