import { lt } from 'drizzle-orm';
import { clearedCounters } from '@/drizzle/counters-schema';
import { idempotency, invitations, keptMembers, sessions } from '@/drizzle/schema';
import { removeOutdatedAlerts } from '@/lib/admin/alerts/remove-outdated';
import { removeOutdatedAssessments } from '@/lib/admin/assessments/remove-outdated';
import { forgetOldSignIns } from '@/lib/auth/sign-in-log';
import { readServerTime } from '@/lib/db/server-time';
import type { Services } from '@/lib/operation/services';
import { removeOutdated } from '@/lib/statistics/writes';

/**
 * Deletes expired data in small steps: kept answers, sessions, invitations, sign-ins, lab tickets, statistics,
 * assessments, alerts, deliveries, and data kept for an undo.
 *
 * Data is expired if this process and the database server agree. An instance whose clock is ahead would delete the
 * sessions and statistics of all others.
 */
export async function tidy({ database, labState, clock }: Services): Promise<void> {
  const now = Math.min(clock(), await readServerTime(database));
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
