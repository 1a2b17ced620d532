import { and, desc, eq, gte } from 'drizzle-orm';
import { decisions } from '@/drizzle/schema';
import { WARM_UP } from '@/lib/admin/effect/last-hour';
import { LoggedDemand } from '@/lib/admin/effect/logged-demand';
import { formatBypassEnd } from '@/lib/admin/effect/sentences';
import type { Rules } from '@/lib/enforcement/rules';
import { parseAddress } from '@/lib/limiter/address';
import type { Context } from '@/lib/operation/context';
import { PART } from '@/lib/statistics/demand';
import { HOUR, type Millis } from '@/lib/units';

/** Most logged requests that are replayed. The newest come first. */
const MOST_REPLAYED = 20_000;

/** Says how many requests of the last hour an allowlist entry let pass, and how many the limits would have refused. */
export async function describeBypassEnd({ services, now }: Context, id: string): Promise<string> {
  const rules = await services.rules.readFresh();
  const rows = await services.database.drizzle
    .select()
    .from(decisions)
    .where(and(gte(decisions.at, now - HOUR - WARM_UP), eq(decisions.source, 'allowlist'), eq(decisions.sourceId, id)))
    .orderBy(desc(decisions.at))
    .limit(MOST_REPLAYED);
  // Includes requests of the current part of the hour.
  const demand = new LoggedDemand(now + PART);
  for (const row of rows) {
    if (row.class !== '' && !hasOtherBypass(rules, row, id, now)) demand.add(row.at, row.class, row, row.cost ?? 1);
  }
  const passed = rows.filter(({ at }) => at >= now - HOUR).length;
  return formatBypassEnd(passed, await demand.computeRefusals(rules, now, async () => new Map()));
}

/** Checks whether another entry also lets a request pass. */
function hasOtherBypass(
  rules: Rules,
  { ip, userId }: { ip: string | null; userId: string | null },
  id: string,
  now: Millis,
) {
  const address = ip === null ? null : parseAddress(ip);
  const isOther = (entry: { id: string; expiresAt: Millis | null }) =>
    entry.id !== id && (entry.expiresAt === null || entry.expiresAt > now);
  if (address !== null && rules.allowedRanges.find(address, isOther) !== undefined) return true;
  const user = userId === null ? undefined : rules.allowedUsers.get(userId);
  return user !== undefined && isOther(user);
}
