import { and, desc, eq, gt } from 'drizzle-orm';
import { signIns } from '@/drizzle/schema';
import { formatTimestamp, formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import { listFailedSignIns as contract } from '@/lib/contract/session';
import { implement } from '@/lib/operation/operation';

/** Counts the failed sign-ins on the caller's account since the previous sign-in, and lists the newest 20 ever. */
export const listFailedSignIns = implement(contract, async ({ actor, services }) => {
  const [kind, memberId = ''] = actor.id.split(':');
  // A token has no account.
  if (kind !== 'member') return { since: null, count: 0, newest: [] };
  const { drizzle } = services.database;
  const matchOutcome = (outcome: 'in' | 'failed') => and(eq(signIns.memberId, memberId), eq(signIns.outcome, outcome));
  const [before] = await drizzle
    .select()
    .from(signIns)
    .where(matchOutcome('in'))
    .orderBy(desc(signIns.id))
    .limit(1)
    .offset(1);
  const count = await drizzle.$count(signIns, and(matchOutcome('failed'), gt(signIns.id, before?.id ?? 0)));
  const newest = await drizzle.select().from(signIns).where(matchOutcome('failed')).orderBy(desc(signIns.id)).limit(20);
  return {
    since: formatTimestampOrNull(before?.at ?? null),
    count,
    newest: newest.map(({ id, at, address, method }) => ({ id, at: formatTimestamp(at), address, method })),
  };
});
