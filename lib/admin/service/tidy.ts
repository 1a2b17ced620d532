import { lt } from 'drizzle-orm';
import { idempotency, sessions } from '@/drizzle/schema';
import { forgetOldSignIns } from '@/lib/auth/sign-in-log';
import type { Services } from '@/lib/operation/services';

/** Deletes what has expired, in small steps: kept answers, sessions, old sign-ins, lab tickets, old statistics. */
export async function tidy({ database, labState, statistics, clock }: Services): Promise<void> {
  const now = clock();
  await database.drizzle.delete(idempotency).where(lt(idempotency.expiresAt, now));
  await database.drizzle.delete(sessions).where(lt(sessions.expiresAt, now));
  await forgetOldSignIns(database, now);
  await labState.cleanUp(now);
  await statistics.maintain(now);
}
