import { and, desc, eq, gte, max, ne, sql, sum } from 'drizzle-orm';
import { keyOrigins } from '@/drizzle/schema';
import { requireAnyKey } from '@/lib/admin/keys/row';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { readKeyOrigins as contract } from '@/lib/contract/key-statistics';
import { isReadable } from '@/lib/db/readable-rows';
import { implement } from '@/lib/operation/operation';
import type { OriginKind } from '@/lib/statistics/key-origins';
import { findStart } from '@/lib/statistics/step';
import { DAY, HOUR } from '@/lib/units';

const MOST = 50;

/** Lists the addresses and paths of one key's requests in the last day. */
export const readKeyOrigins = implement(contract, async (context, { params }) => {
  const { drizzle } = context.services.database;
  const { id } = await requireAnyKey(context.services.database, params.id);
  const from = findStart(context.now - DAY, HOUR) + HOUR;
  const { origin, hour, allowed, refused } = keyOrigins;
  const counts = {
    allowed: sql<number>`coalesce(${sum(allowed)}, 0)`,
    refused: sql<number>`coalesce(${sum(refused)}, 0)`,
  };
  const matchOriginKind = (kind: OriginKind) =>
    and(
      eq(keyOrigins.apiKeyId, id),
      gte(hour, from),
      eq(keyOrigins.kind, kind),
      isReadable(origin, hour, allowed, refused),
    );
  const readTopOrigins = async (kind: OriginKind) => {
    const rows = await drizzle
      .select({ origin, ...counts, last: max(hour) })
      .from(keyOrigins)
      .where(and(matchOriginKind(kind), ne(origin, '')))
      .groupBy(origin)
      .orderBy(desc(sql`${counts.allowed} + ${counts.refused}`), origin)
      .limit(MOST);
    return rows.map(({ last, ...row }) => ({ ...row, last_hour: formatTimestamp(last ?? from) }));
  };
  const readOtherOrigins = async (kind: OriginKind) => {
    const [row] = await drizzle
      .select(counts)
      .from(keyOrigins)
      .where(and(matchOriginKind(kind), eq(origin, '')));
    return row ?? { allowed: 0, refused: 0 };
  };
  return {
    api_key_id: id,
    from: formatTimestamp(from),
    addresses: await readTopOrigins('ip'),
    other_addresses: await readOtherOrigins('ip'),
    paths: await readTopOrigins('path'),
    other_paths: await readOtherOrigins('path'),
  };
});
