import { count, desc, eq, max } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import { listAuditActors as contract } from '@/lib/contract/audit-log';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { implement } from '@/lib/operation/operation';

const MOST = 1_000;

/** Lists all actors that have made a change, the latest first. One index holds all that is counted. */
export const listAuditActors = implement(contract, async ({ services }) => {
  const { drizzle } = services.database;
  const newest = drizzle
    .select({ actor: audit.actor, seq: max(audit.seq).as('newest_seq'), changes: count().as('changes') })
    .from(audit)
    .groupBy(audit.actor)
    .as('newest');
  const rows = await drizzle
    .select({ actor: audit.actor, name: audit.actorName, at: audit.at, changes: newest.changes })
    .from(newest)
    .innerJoin(audit, eq(audit.seq, newest.seq))
    .orderBy(desc(audit.seq))
    .limit(MOST);
  return rows.map(({ actor, name, at, changes }) => ({
    actor,
    actor_name: name,
    changes,
    last_at: formatTimestamp(at),
  }));
});
