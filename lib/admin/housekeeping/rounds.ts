import { setTimeout as wait } from 'node:timers/promises';
import { HealthWatch } from '@/lib/admin/alerts/health-watch';
import { markQuotaThresholds } from '@/lib/admin/alerts/mark-quota-thresholds';
import { listAlertWatches } from '@/lib/admin/alerts/watch';
import { tidy } from '@/lib/admin/housekeeping/tidy';
import { DeliverySender } from '@/lib/admin/webhooks/delivery-sender';
import type { Services } from '@/lib/operation/services';
import { sumAllowedByKey } from '@/lib/statistics/key-days';
import { findStart } from '@/lib/statistics/step';
import { DAY, type Millis, type Seconds } from '@/lib/units';

const MOST_SWEEPS = 200;
const ROWS_A_SWEEP = 500;

/** A short round runs the alert checks that a permanent process runs more often than this. */
const FREQUENT: Seconds = 60;

/**
 * No step starts after this time. The longest step waits half a minute for a mail server, so a round ends within a
 * minute.
 */
const LAST_START: Millis = 25_000;

type Step = () => Promise<unknown>;

/**
 * Runs the short round: checks for alerts, and sends due deliveries. It keeps no state, because the next round may run
 * in another process.
 * @throws the first fault, after all steps
 */
export async function runShortRound(services: Services): Promise<void> {
  const { checks, checkAgain } = createAlertSteps(services, FREQUENT);
  await runSteps([...checks, checkAgain]);
}

/**
 * Runs the long round: the short one, the rare checks, and the deletion of expired data.
 * @returns the number of deleted counters
 * @throws the first fault, after all steps
 */
export async function runLongRound(services: Services): Promise<number> {
  const { statistics, database, clock } = services;
  const { checks, checkAgain } = createAlertSteps(services, Number.POSITIVE_INFINITY);
  let swept = 0;
  await runSteps([
    () => statistics.flushAll(),
    // Short-lived processes cache no list of served keys, so the counts of two days name them.
    async () => statistics.usage.keepKeys([...(await sumAllowedByKey(database, findStart(clock(), DAY) - DAY)).keys()]),
    () => markQuotaThresholds(services),
    ...checks,
    () => tidy(services),
    checkAgain,
    async () => {
      swept = await sweep(services);
    },
  ]);
  return swept;
}

/** @param below leaves out checks that a permanent process runs at this interval or a longer one */
function createAlertSteps(services: Services, below: Seconds): { checks: Step[]; checkAgain: Step } {
  const health = new HealthWatch(services);
  const sender = new DeliverySender(services);
  const send = async () => {
    await sender.sendDue();
    await sender.waitUntilSettled();
  };
  const watches = listAlertWatches(services, health).filter(({ seconds }) => seconds < below);
  return {
    checks: [...watches.map(({ check }) => check), send],
    checkAgain: async () => ((await health.checkAgain(wait)) ? send() : undefined),
  };
}

/**
 * Runs steps one after the other. A step that needs a store that is down must not stop the step that reports it.
 * @throws the first fault, after all steps
 */
export async function runSteps(steps: readonly Step[]): Promise<void> {
  const start = performance.now();
  const faults: unknown[] = [];
  for (const step of steps) {
    if (performance.now() - start > LAST_START) break;
    await step().catch((fault: unknown) => faults.push(fault));
  }
  if (faults.length > 0) throw faults[0];
}

async function sweep({ counters }: Services): Promise<number> {
  let swept = 0;
  for (let round = 0; round < MOST_SWEEPS; round += 1) {
    const rows = await counters.sweep(ROWS_A_SWEEP);
    swept += rows;
    if (rows < ROWS_A_SWEEP) break;
  }
  return swept;
}
