import { and, asc, isNull, sql } from 'drizzle-orm';
import { z } from 'zod';
import { apiKeys } from '@/drizzle/schema';
import { quotaUsages } from '@/lib/admin/quota-usage';
import { readAll } from '@/lib/admin/read-all';
import type { Database } from '@/lib/db/database';
import { operation, Reply } from '@/lib/http/operation';
import { decodeCursor, pageOf, pageParameters } from '@/lib/http/pagination';
import type { QuotaTier } from '@/lib/schemas/enumerations';
import { QuotaUsageSchema } from '@/lib/schemas/quota';

const Position = z.tuple([z.int(), z.string()]);
type Position = z.infer<typeof Position>;

interface Row {
  id: string;
  tier: QuotaTier;
  createdAt: number;
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
    'Oldest key first; revoked keys are not registered any more, expired ones are. Without `limit` and `cursor` the answer holds every key.',
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
      const rows = await readAll<Row>((after, limit) => read(database, after && positionOf(after), limit));
      return quotaUsages(counters, (await rules.fresh()).policies, rows);
    }
    const limit = query.limit ?? DEFAULT_LIMIT;
    const after = query.cursor === undefined ? undefined : decodeCursor(Position, query.cursor);
    const { items, headers } = pageOf(await read(database, after, limit + 1), limit, context.request.url, positionOf);
    return new Reply(await quotaUsages(counters, (await rules.fresh()).policies, items), { headers });
  },
});

function positionOf(row: Row): Position {
  return [row.createdAt, row.id];
}

function read(database: Database, after: Position | undefined, limit: number): Promise<Row[]> {
  const { id, tier, createdAt } = apiKeys;
  return database.drizzle
    .select({ id, tier, createdAt })
    .from(apiKeys)
    .where(and(isNull(apiKeys.revokedAt), after && sql`(${createdAt}, ${id}) > (${after[0]}, ${after[1]})`))
    .orderBy(asc(createdAt), asc(id))
    .limit(limit);
}
