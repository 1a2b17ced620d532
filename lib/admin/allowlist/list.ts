import { and, gt, inArray, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { allowlist } from '@/drizzle/schema';
import { type AllowlistRow, toAllowlistEntry } from '@/lib/admin/allowlist/entry';
import { chunksOf } from '@/lib/admin/chunks-of';
import { type ListOrder, listOrder, NEVER, type Sorting } from '@/lib/admin/list-order';
import { type AllowlistEntry, listAllowlist as contract } from '@/lib/contract/allowlist';
import type { QueryOf } from '@/lib/contract/operation';
import type { Database } from '@/lib/db/database';
import { type Column, exportResponse, listFormat } from '@/lib/http/export-response';
import { jsonArrayResponse } from '@/lib/http/json-array-response';
import { pageOf } from '@/lib/http/pagination';
import { implement, Reply } from '@/lib/operation/operation';

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
export const listAllowlist = implement(contract, async (context, { query }) => {
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
});

type Order = ListOrder<AllowlistRow>;

function everything(database: Database, filter: SQL | undefined, order: Order) {
  return chunksOf(
    (last: AllowlistRow | undefined, limit) => read(database, and(filter, last && order.after(last)), order, limit),
    (rows) => rows.map(toAllowlistEntry),
  );
}

function conditions(query: QueryOf<typeof contract>, now: number): SQL | undefined {
  const { status, type, q, expiry } = query;
  const active = or(isNull(allowlist.expiresAt), gt(allowlist.expiresAt, now));
  return and(
    isNull(allowlist.removedAt),
    status === 'active' ? active : undefined,
    status === 'expired' ? lte(allowlist.expiresAt, now) : undefined,
    type === undefined ? undefined : inArray(allowlist.type, type),
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
