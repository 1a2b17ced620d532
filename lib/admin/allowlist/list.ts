import { and, eq, gt, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { allowlist } from '@/drizzle/schema';
import { type AllowlistRow, toAllowlistEntry } from '@/lib/admin/allowlist/entry';
import { chunksOf } from '@/lib/admin/chunks-of';
import { type ListOrder, listOrder, NEVER, type Sorting, sortParameter } from '@/lib/admin/list-order';
import { type AllowlistEntry, AllowlistEntrySchema } from '@/lib/contract/allowlist';
import { IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
import type { Database } from '@/lib/db/database';
import {
  type Column,
  EXPORT_MEDIA_TYPES,
  exportResponse,
  FormatParameter,
  listFormat,
} from '@/lib/http/export-response';
import { jsonArrayResponse } from '@/lib/http/json-array-response';
import { pageOf, pageParameters } from '@/lib/http/pagination';
import { operation, Reply } from '@/lib/operation/operation';

const Query = z.strictObject({
  ...pageParameters,
  status: z
    .enum(['active', 'expired', 'all'], 'must be active, expired or all')
    .default('active')
    .describe('Removed entries are in none of them.'),
  type: IdentifierTypeSchema.optional(),
  q: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('Part of the identifier or the reason, in any letter case (of ASCII).'),
  expiry: z.enum(['set', 'never'], 'must be set or never').optional().describe('Whether the entry ends by itself.'),
  sort: sortParameter(['created_at', 'expires_at', 'identifier', 'type', 'reason', 'created_by'], '-created_at'),
  format: FormatParameter.optional(),
});

const SORTINGS: Readonly<Record<string, Sorting<AllowlistRow>>> = {
  created_at: { value: sql`${allowlist.createdAt}`, of: (row) => row.createdAt },
  expires_at: { value: sql`coalesce(${allowlist.expiresAt}, ${NEVER})`, of: (row) => row.expiresAt ?? NEVER },
  identifier: { value: sql`${allowlist.identifier}`, of: (row) => row.identifier },
  type: { value: sql`${allowlist.type}`, of: (row) => row.type },
  reason: { value: sql`${allowlist.reason}`, of: (row) => row.reason },
  created_by: { value: sql`${allowlist.createdBy}`, of: (row) => row.createdBy },
};

const COLUMNS: readonly Column<AllowlistEntry>[] = (
  ['id', 'type', 'identifier', 'reason', 'expires_at', 'created_at', 'created_by'] as const
).map((name) => [name, (entry) => entry[name]] as const);

const DEFAULT_LIMIT = 100;

/** The active allowlist, newest first; everything, unless a page is asked for. */
export const listAllowlist = operation({
  id: 'listAllowlist',
  method: 'GET',
  path: '/v1/admin/rate-limit/allowlist',
  tag: 'Allowlist',
  summary: 'List allowlist entries',
  description:
    'Newest first, unless `sort` says otherwise. Without `limit` and `cursor` the answer holds every entry; as CSV or JSON lines it always does, newest first.',
  access: 'viewer',
  query: Query,
  response: {
    status: 200,
    description: 'The entries.',
    schema: z.array(AllowlistEntrySchema),
    headers: { Link: 'The next page, `rel="next"`, when there is one.' },
    mediaTypes: EXPORT_MEDIA_TYPES,
  },
  run: async (context, { query }) => {
    const { database } = context.services;
    const filter = conditions(query, context.now);
    const format = listFormat(context.request, query.format);
    // A download is read by the one order that has an index.
    const order = listOrder(SORTINGS, format === 'json' ? query.sort : '-created_at', allowlist.id, query.cursor);
    if (format === 'csv' || format === 'jsonl') {
      return exportResponse(context, format, 'allowlist', COLUMNS, everything(database, filter, order));
    }
    if (query.limit === undefined && query.cursor === undefined) {
      return jsonArrayResponse(context, everything(database, filter, order));
    }
    const limit = query.limit ?? DEFAULT_LIMIT;
    const rows = await read(database, and(filter, order.beyond), order, limit + 1);
    const { items, headers } = pageOf(rows, limit, context.request.url, order.positionOf);
    return new Reply(items.map(toAllowlistEntry), { headers });
  },
});

type Order = ListOrder<AllowlistRow>;

function everything(database: Database, filter: SQL | undefined, order: Order) {
  return chunksOf(
    (last: AllowlistRow | undefined, limit) => read(database, and(filter, last && order.after(last)), order, limit),
    (rows) => rows.map(toAllowlistEntry),
  );
}

function conditions(query: z.infer<typeof Query>, now: number): SQL | undefined {
  const { status, type, q, expiry } = query;
  const active = or(isNull(allowlist.expiresAt), gt(allowlist.expiresAt, now));
  return and(
    isNull(allowlist.removedAt),
    status === 'active' ? active : undefined,
    status === 'expired' ? lte(allowlist.expiresAt, now) : undefined,
    type === undefined ? undefined : eq(allowlist.type, type),
    expiry === 'set' ? isNotNull(allowlist.expiresAt) : undefined,
    expiry === 'never' ? isNull(allowlist.expiresAt) : undefined,
    q === undefined
      ? undefined
      : sql`(instr(lower(${allowlist.identifier}), lower(${q})) > 0 or instr(lower(${allowlist.reason}), lower(${q})) > 0)`,
  );
}

function read(database: Database, filter: SQL | undefined, order: Order, limit: number): Promise<AllowlistRow[]> {
  return database.drizzle
    .select()
    .from(allowlist)
    .where(filter)
    .orderBy(...order.orderBy)
    .limit(limit);
}
