import { and, eq, gt, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { lastUses, overrides } from '@/drizzle/schema';
import { chunksOf } from '@/lib/admin/chunks-of';
import { lastUseOf } from '@/lib/admin/last-use';
import { type ListOrder, listOrder, NEVER, type Sorting, sortParameter } from '@/lib/admin/list-order';
import { type OverrideRow, toOverride } from '@/lib/admin/overrides/row';
import { EndpointClassSchema, IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
import { type Override, OverrideSchema } from '@/lib/contract/overrides';
import type { Database } from '@/lib/db/database';
import {
  type Column,
  EXPORT_MEDIA_TYPES,
  exportResponse,
  FormatParameter,
  listFormat,
} from '@/lib/http/export-response';
import { pageOf, pageParameters } from '@/lib/http/pagination';
import { operation, Reply } from '@/lib/operation/operation';

const Query = z.strictObject({
  ...pageParameters,
  status: z
    .enum(['active', 'expired', 'all'], 'must be active, expired or all')
    .default('active')
    .describe('Removed overrides are in none of them.'),
  type: IdentifierTypeSchema.optional(),
  class: EndpointClassSchema.optional(),
  q: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('Part of the identifier or the reason, in any letter case (of ASCII).'),
  sort: sortParameter(
    ['created_at', 'expires_at', 'last_used_at', 'identifier', 'class', 'limit', 'reason'],
    '-created_at',
  ),
  format: FormatParameter.optional(),
});

/** An override and when a request was decided by it last. */
interface Used {
  id: string;
  row: OverrideRow;
  lastUsedAt: number | null;
}

const SORTINGS: Readonly<Record<string, Sorting<Used>>> = {
  created_at: { value: sql`${overrides.createdAt}`, of: ({ row }) => row.createdAt },
  expires_at: { value: sql`coalesce(${overrides.expiresAt}, ${NEVER})`, of: ({ row }) => row.expiresAt ?? NEVER },
  last_used_at: { value: sql`coalesce(${lastUses.at}, 0)`, of: ({ lastUsedAt }) => lastUsedAt ?? 0 },
  identifier: { value: sql`${overrides.identifier}`, of: ({ row }) => row.identifier },
  class: { value: sql`${overrides.class}`, of: ({ row }) => row.class },
  /** Requests a second: limits of different windows compare by what they mean. */
  limit: {
    value: sql`(cast(${overrides.limit} as real) / ${overrides.windowSeconds})`,
    of: ({ row }) => row.limit / row.windowSeconds,
  },
  reason: { value: sql`${overrides.reason}`, of: ({ row }) => row.reason },
};

const COLUMNS: readonly Column<Override>[] = (
  [
    'id',
    'type',
    'identifier',
    'class',
    'limit',
    'window_seconds',
    'reason',
    'expires_at',
    'last_used_at',
    'created_at',
    'created_by',
  ] as const
).map((name) => [name, (override) => override[name]] as const);

const DEFAULT_LIMIT = 100;

/** Own limits, newest first, page by page. */
export const listOverrides = operation({
  id: 'listOverrides',
  method: 'GET',
  path: '/v1/admin/rate-limit/overrides',
  tag: 'Overrides',
  summary: 'List own limits',
  description: `Newest first unless \`sort\` says otherwise; ${DEFAULT_LIMIT} on a page unless \`limit\` does. As CSV or JSON lines all that match, newest first.`,
  access: 'viewer',
  query: Query,
  response: {
    status: 200,
    description: 'A page of overrides.',
    schema: z.array(OverrideSchema),
    headers: { Link: 'The next page, `rel="next"`, when there is one.' },
    mediaTypes: EXPORT_MEDIA_TYPES,
  },
  run: async (context, { query }) => {
    const { database } = context.services;
    const filter = conditions(query, context.now);
    const format = listFormat(context.request, query.format);
    // A download is read by the one order that has an index.
    const order = listOrder(SORTINGS, format === 'json' ? query.sort : '-created_at', overrides.id, query.cursor);
    if (format === 'csv' || format === 'jsonl') {
      return exportResponse(context, format, 'overrides', COLUMNS, everything(database, filter, order));
    }
    const limit = query.limit ?? DEFAULT_LIMIT;
    const rows = await read(database, and(filter, order.beyond), order, limit + 1);
    const { items, headers } = pageOf(rows, limit, context.request.url, order.positionOf);
    return new Reply(items.map(toListed), { headers });
  },
});

function toListed({ row, lastUsedAt }: Used): Override {
  return toOverride(row, lastUsedAt);
}

function everything(database: Database, filter: SQL | undefined, order: ListOrder<Used>) {
  return chunksOf(
    (last: Used | undefined, limit) => read(database, and(filter, last && order.after(last)), order, limit),
    (rows) => rows.map(toListed),
  );
}

function read(database: Database, filter: SQL | undefined, order: ListOrder<Used>, limit: number): Promise<Used[]> {
  return database.drizzle
    .select({ id: overrides.id, row: overrides, lastUsedAt: lastUses.at })
    .from(overrides)
    .leftJoin(lastUses, lastUseOf('override', overrides.id))
    .where(filter)
    .orderBy(...order.orderBy)
    .limit(limit);
}

function conditions({ status, type, class: endpointClass, q }: z.infer<typeof Query>, now: number): SQL | undefined {
  const active = or(isNull(overrides.expiresAt), gt(overrides.expiresAt, now));
  return and(
    isNull(overrides.removedAt),
    status === 'active' ? active : undefined,
    status === 'expired' ? lte(overrides.expiresAt, now) : undefined,
    type === undefined ? undefined : eq(overrides.type, type),
    endpointClass === undefined ? undefined : eq(overrides.class, endpointClass),
    q === undefined
      ? undefined
      : sql`(instr(lower(${overrides.identifier}), lower(${q})) > 0 or instr(lower(${overrides.reason}), lower(${q})) > 0)`,
  );
}
