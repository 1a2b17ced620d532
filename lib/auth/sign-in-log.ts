import { and, desc, eq, lt, lte } from 'drizzle-orm';
import { signIns } from '@/drizzle/schema';
import type { Database, Statement } from '@/lib/db/database';
import { DAY, type Millis } from '@/lib/units';

/** Account of attempts that concern no member, so that both cases take the same work. */
export const NOBODY = 'nobody';

/** Failed attempts stored per account. The oldest are deleted. */
export const KEPT_FAILURES = 200;
/** Sign-ins stored per account: the last two. */
const KEPT_SIGN_INS = 2;

export type SignInEntry = typeof signIns.$inferInsert;

/** Records a sign-in or a failed attempt, as part of a transaction. */
export function logSignIn({ drizzle }: Database, entry: SignInEntry): Statement[] {
  const same = and(eq(signIns.memberId, entry.memberId), eq(signIns.outcome, entry.outcome));
  const oldestToGo = drizzle
    .select({ id: signIns.id })
    .from(signIns)
    .where(same)
    .orderBy(desc(signIns.id))
    .limit(1)
    .offset(entry.outcome === 'in' ? KEPT_SIGN_INS : KEPT_FAILURES);
  return [drizzle.insert(signIns).values(entry), drizzle.delete(signIns).where(and(same, lte(signIns.id, oldestToGo)))];
}

/** Deletes entries older than 90 days. */
export async function forgetOldSignIns({ drizzle }: Database, now: Millis): Promise<void> {
  await drizzle.delete(signIns).where(lt(signIns.at, now - 90 * DAY));
}
