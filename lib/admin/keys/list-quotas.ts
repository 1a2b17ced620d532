import { and, asc, gt, isNull, sql } from 'drizzle-orm';
import { z } from 'zod';
import { apiKeys } from '@/drizzle/schema';
import { COUNTED_CHUNK, chunksOf } from '@/lib/admin/chunks-of';
import { quotaUsages } from '@/lib/admin/keys/quota-usage';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';
import { QuotaUsageSchema } from '@/lib/contract/quota';
import type { Database } from '@/lib/db/database';
import { jsonArrayResponse } from '@/lib/http/json-array-response';
import { decodeCursor, pageOf, pageParameters } from '@/lib/http/pagination';
import { operation, Reply } from '@/lib/operation/operation';
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
export const listQuotas = operation({
  id: 'listQuotas',
  method: 'GET',
  path: '/v1/admin/rate-limit/quotas',
  tag: 'Quotas',
  summary: 'Read the quota usage of all registered API keys',
  description:
    'Oldest key first; revoked keys are not registered any more, expired ones are. Without `limit` and `cursor` the answer holds every key, written as it is read; usages are those of the time at which their page was.',
  access: 'viewer',
  query: z.strictObject(pageParameters),
  response: {
    status: 200,
    description: 'One usage for each key.',
    schema: z.array(QuotaUsageSchema),
    headers: { Link: 'The next page, `rel="next"`, when there is one.' },
  },
  errors: ['service_unavailable'],
  run: async (context, { query }) => {
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
  },
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
