import { and, asc, eq, inArray, isNull, sql, sum } from 'drizzle-orm';
import { adminTokens, audit, lastUses, members, rollups } from '@/drizzle/schema';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { readFirstSteps as contract } from '@/lib/contract/first-hour';
import { implement } from '@/lib/operation/operation';
import { DECISION_API } from '@/lib/statistics/key-days';

/** The longest step of the statistics, in seconds. Its counts are kept longest. */
const DAYS = 86_400;
/** Classes that the console never uses. The other classes count after the decision API is used. */
const SERVED = ['sensitive', 'read', 'write'];
const LIMIT_CHANGES = ['policies.update', 'route_rules.replace', 'override.set', 'override.replace'];

/** Reports which first steps are done, judging by stored data. */
export const readFirstSteps = implement(contract, async (context) => {
  const { database, config, rules } = context.services;
  const { drizzle } = database;
  const upstream = config.SLUICE_UPSTREAM ?? null;
  const [first] = await drizzle.select({ at: audit.at }).from(audit).orderBy(asc(audit.seq)).limit(1);
  const gateways = and(isNull(adminTokens.revokedAt), eq(adminTokens.role, 'gateway'));
  const ofGateways = drizzle
    .select({ subject: sql`'token:' || ${adminTokens.id}` })
    .from(adminTokens)
    .where(eq(adminTokens.role, 'gateway'));
  const used = await drizzle.select().from(lastUses).where(inArray(lastUses.subject, ofGateways)).limit(1);
  const decisionCalls = await drizzle.select().from(lastUses).where(eq(lastUses.subject, DECISION_API)).limit(1);
  const days = eq(rollups.step, DAYS);
  const served =
    decisionCalls.length > 0 || (await drizzle.$count(rollups, and(days, inArray(rollups.class, SERVED)))) > 0;
  const [decided] = await drizzle
    .select({ count: sum(rollups.count) })
    .from(rollups)
    .where(days);
  const decisions = served ? Number(decided?.count ?? 0) : 0;
  const changed = inArray(audit.action, LIMIT_CHANGES);
  const limit = await drizzle.select({ seq: audit.seq }).from(audit).where(changed).limit(1);
  return {
    since: formatTimestamp(first?.at ?? context.now),
    connect: {
      done: upstream !== null || used.length > 0,
      upstream,
      gateway_tokens: await drizzle.$count(adminTokens, gateways),
    },
    request: { done: decisions > 0, decisions },
    key: { done: (await rules.readFresh()).keysById.size > 0 },
    limit: { done: limit.length > 0 },
    invite: { done: (await drizzle.$count(members, isNull(members.removedAt))) > 1 },
  };
});
