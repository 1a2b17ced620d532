import { and, asc, desc, eq, gt, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { apiKeys, lastUses } from '@/drizzle/schema';
import { type UsedApiKey, withUsage } from '@/lib/admin/api-key-with-usage';
import { lastUseOf } from '@/lib/admin/last-use';
import { operation, Reply } from '@/lib/http/operation';
import { decodeCursor, pageOf, pageParameters } from '@/lib/http/pagination';
import { ApiKeyWithUsageSchema } from '@/lib/schemas/api-key';
import { QuotaTierSchema } from '@/lib/schemas/enumerations';

const SORTS = ['-created_at', 'created_at', 'name', '-name', '-last_used_at', 'last_used_at'] as const;
type Sort = (typeof SORTS)[number];

const Query = z.strictObject({
  ...pageParameters,
  q: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('Part of the name or the user id (in any letter case of ASCII), or how the id or the prefix starts.'),
  tier: QuotaTierSchema.optional(),
  status: z
    .enum(['registered', 'active', 'expired', 'revoked', 'all'], 'must be registered, active, expired, revoked or all')
    .default('registered')
    .describe('`registered`: not revoked; `active`: neither revoked nor expired.'),
  sort: z
    .enum(SORTS, `must be one of ${SORTS.join(', ')}`)
    .default('-created_at')
    .describe('A minus sorts downwards.'),
});

/** The sort, the value in it and the id where the page before ended. */
const Position = z.tuple([z.enum(SORTS), z.union([z.string(), z.int()]), z.string()]);
type Position = z.infer<typeof Position>;

const DEFAULT_LIMIT = 100;

/** API keys with what they have used, page by page. */
export const listApiKeys = operation({
  id: 'listApiKeys',
  method: 'GET',
  path: '/v1/admin/api-keys',
  tag: 'API keys',
  summary: 'List API keys',
  description: `Newest first unless \`sort\` says otherwise; ${DEFAULT_LIMIT} on a page unless \`limit\` does.`,
  access: 'viewer',
  query: Query,
  response: {
    status: 200,
    description: 'A page of keys.',
    schema: z.array(ApiKeyWithUsageSchema),
    headers: { Link: 'The next page, `rel="next"`, when there is one.' },
  },
  run: async (context, { query }) => {
    const { database } = context.services;
    const limit = query.limit ?? DEFAULT_LIMIT;
    const after = query.cursor === undefined ? undefined : decodeCursor(positionIn(query.sort), query.cursor);
    const value = sortValue(query.sort);
    const down = query.sort.startsWith('-');
    const rows = await database.drizzle
      .select({ key: apiKeys, lastUsedAt: lastUses.at })
      .from(apiKeys)
      .leftJoin(lastUses, lastUseOf('api_key', apiKeys.id))
      .where(and(conditions(query, context.now), after && beyond(value, down, after)))
      .orderBy(down ? desc(value) : asc(value), down ? desc(apiKeys.id) : asc(apiKeys.id))
      .limit(limit + 1);
    const { items, headers } = pageOf(rows, limit, context.request.url, (row) => positionOf(query.sort, row));
    return new Reply(await withUsage(context.services, items, context.now), { headers });
  },
});

function positionIn(sort: Sort) {
  return Position.refine(([of]) => of === sort);
}

function sortValue(sort: Sort): SQL {
  if (sort.endsWith('created_at')) return sql`${apiKeys.createdAt}`;
  return sort.endsWith('name') ? sql`${apiKeys.name}` : sql`coalesce(${lastUses.at}, 0)`;
}

function positionOf(sort: Sort, { key, lastUsedAt }: UsedApiKey): Position {
  if (sort.endsWith('created_at')) return [sort, key.createdAt, key.id];
  return [sort, sort.endsWith('name') ? key.name : (lastUsedAt ?? 0), key.id];
}

function beyond(value: SQL, down: boolean, [, last, id]: Position): SQL {
  return down ? sql`(${value}, ${apiKeys.id}) < (${last}, ${id})` : sql`(${value}, ${apiKeys.id}) > (${last}, ${id})`;
}

function conditions({ q, tier, status }: z.infer<typeof Query>, now: number): SQL | undefined {
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
    tier === undefined ? undefined : eq(apiKeys.tier, tier),
    q === undefined ? undefined : search(q),
  );
}

function search(q: string): SQL {
  const { id, name, prefix, userId } = apiKeys;
  return sql`(instr(lower(${name}), lower(${q})) > 0 or instr(lower(coalesce(${userId}, '')), lower(${q})) > 0
    or instr(${prefix}, ${q}) = 1 or instr(${id}, lower(${q})) = 1)`;
}
