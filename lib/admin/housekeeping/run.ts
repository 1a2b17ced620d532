import { setTimeout as wait } from 'node:timers/promises';
import { lt } from 'drizzle-orm';
import { clearedCounters } from '@/drizzle/counters-schema';
import { idempotency, invitations, keptMembers, sessions } from '@/drizzle/schema';
import { HealthWatch } from '@/lib/admin/alerts/health-watch';
import { markQuotaThresholds } from '@/lib/admin/alerts/mark-quota-thresholds';
import { removeOutdatedAlerts } from '@/lib/admin/alerts/remove-outdated';
import { alertWatches } from '@/lib/admin/alerts/watch';
import { removeOutdatedAssessments } from '@/lib/admin/assessments/remove-outdated';
import { DeliverySender } from '@/lib/admin/webhooks/delivery-sender';
import { digestSecret, isConfiguredSecret } from '@/lib/auth/secret-hash';
import { forgetOldSignIns } from '@/lib/auth/sign-in-log';
import { runHousekeeping as contract } from '@/lib/contract/service';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';
import type { Services } from '@/lib/operation/services';
import { sumAllowedByKey } from '@/lib/statistics/key-days';
import { DAY, findStart } from '@/lib/statistics/step';
import { removeOutdated } from '@/lib/statistics/writes';

const MOST_ROUNDS = 200;
const ROWS_A_ROUND = 500;

/**
 * Runs the work that a long-lived process does once a minute, for platforms without such processes.
 * Their cron calls it with `Authorization: Bearer <CRON_SECRET>`.
 */
export const runHousekeeping = implement(contract, async ({ services, facts, now }) => {
  const secret = services.config.CRON_SECRET;
  if (secret === undefined) throw new ApiError('not_found', 'There is no such resource.');
  if (!isConfiguredSecret(digestSecret(facts.authorization ?? ''), `Bearer ${secret}`)) {
    throw new ApiError('unauthorized', 'The cron secret is missing or wrong.', {
      headers: { 'WWW-Authenticate': 'Bearer realm="sluice"' },
    });
  }
  const { statistics } = services;
  const health = new HealthWatch(services);
  const sender = new DeliverySender(services);
  const send = async () => {
    await sender.sendDue();
    await sender.settled();
  };
  let swept = 0;
  const steps = [
    () => statistics.flush(),
    // Short-lived processes cache no list of served keys, so the counts of two days name them.
    async () =>
      statistics.usage.keepKeys([...(await sumAllowedByKey(services.database, findStart(now, DAY) - DAY)).keys()]),
    () => markQuotaThresholds(services),
    ...alertWatches(services, health).map(({ look }) => look),
    send,
    () => tidy(services),
    async () => ((await health.lookAgain(wait)) ? send() : undefined),
    async () => {
      swept = await sweep(services);
    },
  ];
  const faults: unknown[] = [];
  // A step that needs a store that is down must not stop the later step that reports the outage.
  for (const step of steps) await step().catch((fault: unknown) => faults.push(fault));
  if (faults.length > 0) throw faults[0];
  return { swept_counters: swept };
});

async function sweep({ counters }: Services): Promise<number> {
  let swept = 0;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const rows = await counters.sweep(ROWS_A_ROUND);
    swept += rows;
    if (rows < ROWS_A_ROUND) break;
  }
  return swept;
}

/**
 * Deletes expired data in small steps: kept answers, sessions, invitations, sign-ins, lab tickets, statistics,
 * assessments, alerts, deliveries, and data kept for an undo.
 */
export async function tidy({ database, labState, clock }: Services): Promise<void> {
  const now = clock();
  await database.drizzle.delete(idempotency).where(lt(idempotency.expiresAt, now));
  await database.drizzle.delete(sessions).where(lt(sessions.expiresAt, now));
  await database.drizzle.delete(invitations).where(lt(invitations.expiresAt, now));
  await database.drizzle.delete(keptMembers).where(lt(keptMembers.until, now));
  await forgetOldSignIns(database, now);
  await labState.cleanUp(now);
  await removeOutdated(database, now);
  await removeOutdatedAssessments(database, now);
  await removeOutdatedAlerts(database, now);
  await database.drizzle.delete(clearedCounters).where(lt(clearedCounters.keptUntil, now));
}
