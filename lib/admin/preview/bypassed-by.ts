import { and, count, eq, gte, inArray } from 'drizzle-orm';
import { decisions } from '@/drizzle/schema';
import type { Context } from '@/lib/operation/context';
import { HOUR } from '@/lib/statistics/step';

/** Requests that passed by allowlist entries within the last hour, as far as the log holds them, by the id of the entry. */
export async function bypassedBy(
  { services, now }: Context,
  ids: readonly string[],
): Promise<ReadonlyMap<string | null, number>> {
  const within = and(
    gte(decisions.at, now - HOUR),
    eq(decisions.source, 'allowlist'),
    inArray(decisions.sourceId, [...ids]),
  );
  const rows = await services.database.drizzle
    .select({ id: decisions.sourceId, requests: count() })
    .from(decisions)
    .where(within)
    .groupBy(decisions.sourceId);
  return new Map(rows.map(({ id, requests }) => [id, requests]));
}
