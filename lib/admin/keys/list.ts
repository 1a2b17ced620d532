import { and, gt, inArray, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { apiKeys, lastUses } from '@/drizzle/schema';
import { COUNTED_CHUNK, chunksOf } from '@/lib/admin/chunks-of';
import { type UsedApiKey, withUsage } from '@/lib/admin/keys/with-usage';
import { lastUseOf } from '@/lib/admin/last-use';
import { type ListOrder, listOrder, type Sorting } from '@/lib/admin/list-order';
import { type ApiKeyWithUsage, listApiKeys as contract } from '@/lib/contract/keys';
import type { QueryOf } from '@/lib/contract/operation';
import { type Column, exportResponse, listFormat } from '@/lib/http/export-response';
import { pageOf } from '@/lib/http/pagination';
import { implement, Reply } from '@/lib/operation/operation';
import type { Services } from '@/lib/operation/services';

type Listed = UsedApiKey & { id: string };

/** The order of the tiers is that of their size. Usage is not here: it lives in the counters, one look-up a key. */
const SORTINGS: Readonly<Record<string, Sorting<Listed>>> = {
  created_at: { value: sql`${apiKeys.createdAt}`, of: ({ key }) => key.createdAt },
  name: { value: sql`${apiKeys.name}`, of: ({ key }) => key.name },
  prefix: { value: sql`${apiKeys.prefix}`, of: ({ key }) => key.prefix },
  tier: {
    value: sql`instr('free starter business enterprise', ${apiKeys.tier})`,
    of: ({ key }) => 'free starter business enterprise'.indexOf(key.tier) + 1,
  },
  last_used_at: { value: sql`coalesce(${lastUses.at}, 0)`, of: ({ lastUsedAt }) => lastUsedAt ?? 0 },
};

const COLUMNS: readonly Column<ApiKeyWithUsage>[] = (
  [
    'id',
    'name',
    'prefix',
    'tier',
    'client_type',
    'user_id',
    'usage',
    'limit',
    'remaining',
    'reset_at',
    'overage_allowed',
    'expires_at',
    'last_used_at',
    'created_at',
    'created_by',
    'revoked_at',
  ] as const
).map((name) => [name, (key) => key[name]] as const);

const DEFAULT_LIMIT = 100;

/** API keys with what they have used, page by page. */
export const listApiKeys = implement(contract, async (context, { query }) => {
  const { services, now } = context;
  const filter = conditions(query, now);
  const format = listFormat(context.request, query.format);
  // A download is read by the one order that has an index.
  const order = listOrder(SORTINGS, format === 'json' ? query.sort : '-created_at', apiKeys.id, query.cursor);
  if (format === 'csv' || format === 'jsonl') {
    return exportResponse(context, format, 'api-keys', COLUMNS, everything(services, filter, order, now));
  }
  const limit = query.limit ?? DEFAULT_LIMIT;
  const rows = await read(services, and(filter, order.beyond), order, limit + 1);
  const { items, headers } = pageOf(rows, limit, context.request.url, order.positionOf);
  return new Reply(await withUsage(services, items, now), { headers });
});

function everything(services: Services, filter: SQL | undefined, order: ListOrder<Listed>, now: number) {
  return chunksOf(
    (last: Listed | undefined, limit) => read(services, and(filter, last && order.after(last)), order, limit),
    (rows) => withUsage(services, rows, now),
    COUNTED_CHUNK,
  );
}

function read(
  { database }: Services,
  filter: SQL | undefined,
  order: ListOrder<Listed>,
  limit: number,
): Promise<Listed[]> {
  return database.drizzle
    .select({ id: apiKeys.id, key: apiKeys, lastUsedAt: lastUses.at })
    .from(apiKeys)
    .leftJoin(lastUses, lastUseOf('api_key', apiKeys.id))
    .where(filter)
    .orderBy(...order.orderBy)
    .limit(limit);
}

function conditions({ q, tier, status }: QueryOf<typeof contract>, now: number): SQL | undefined {
  const { expiresAt, revokedAt } = apiKeys;
  const byStatus = {
    all: undefined,
    registered: isNull(revokedAt),
    active: and(isNull(revokedAt), or(isNull(expiresAt), gt(expiresAt, now))),
    expired: and(isNull(revokedAt), lte(expiresAt, now)),
    revoked: isNotNull(revokedAt),
  } satisfies Record<typeof status, SQL | undefined>;
  return and(
    byStatus[status],
    tier === undefined ? undefined : inArray(apiKeys.tier, tier),
    q === undefined ? undefined : search(q),
  );
}

function search(q: string): SQL {
  const { id, name, prefix, userId } = apiKeys;
  return sql`(instr(lower(${name}), lower(${q})) > 0 or instr(lower(coalesce(${userId}, '')), lower(${q})) > 0
    or instr(${prefix}, ${q}) = 1 or instr(${id}, lower(${q})) = 1)`;
}
