import { and, asc, gt, isNull, sql } from 'drizzle-orm';
import { z } from 'zod';
import { apiKeys } from '@/drizzle/schema';
import { COUNTED_CHUNK, chunksOf } from '@/lib/admin/chunks-of';
import { quotaUsages } from '@/lib/admin/keys/quota-usage';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';
import { listQuotas as contract } from '@/lib/contract/quota';
import type { Database } from '@/lib/db/database';
import { jsonArrayResponse } from '@/lib/http/json-array-response';
import { decodeCursor, pageOf } from '@/lib/http/pagination';
import { implement, Reply } from '@/lib/operation/operation';
import type { Services } from '@/lib/operation/services';

/** SQLite's own number of the row, which is given in the order of registration. */
const Position = z.int();
type Position = z.infer<typeof Position>;

interface Row {
  id: string;
  tier: QuotaTier;
  position: Position;
}

const DEFAULT_LIMIT = 100;

/** What all registered keys have used of their quotas, in the order of their registration. */
export const listQuotas = implement(contract, async (context, { query }) => {
  const { database, counters, rules } = context.services;
  if (query.limit === undefined && query.cursor === undefined) {
    return jsonArrayResponse(context, await everything(context.services));
  }
  const limit = query.limit ?? DEFAULT_LIMIT;
  const after = query.cursor === undefined ? undefined : decodeCursor(Position, query.cursor);
  const { items, headers } = pageOf(
    await read(database, after, limit + 1),
    limit,
    context.request.url,
    (row) => row.position,
  );
  return new Reply(await quotaUsages(counters, (await rules.fresh()).policies, items), { headers });
});

async function everything({ database, counters, rules }: Services) {
  const { policies } = await rules.fresh();
  return chunksOf(
    (after: Row | undefined, limit) => read(database, after?.position, limit),
    (rows) => quotaUsages(counters, policies, rows),
    COUNTED_CHUNK,
  );
}

function read(database: Database, after: Position | undefined, limit: number): Promise<Row[]> {
  const { id, tier, revokedAt } = apiKeys;
  const position = sql<number>`${apiKeys}.rowid`;
  return database.drizzle
    .select({ id, tier, position })
    .from(apiKeys)
    .where(and(isNull(revokedAt), after === undefined ? undefined : gt(position, after)))
    .orderBy(asc(position))
    .limit(limit);
}
