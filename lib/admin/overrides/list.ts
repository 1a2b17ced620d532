import { and, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { lastUses, overrides } from '@/drizzle/schema';
import { chunksOf } from '@/lib/admin/chunks-of';
import { lastUseOf } from '@/lib/admin/last-use';
import { type ListOrder, listOrder, NEVER, type Sorting } from '@/lib/admin/list-order';
import { type OverrideRow, toOverride } from '@/lib/admin/overrides/row';
import type { QueryOf } from '@/lib/contract/operation';
import { listOverrides as contract, type Override } from '@/lib/contract/overrides';
import type { Database } from '@/lib/db/database';
import { type Column, exportResponse, listFormat } from '@/lib/http/export-response';
import { pageOf } from '@/lib/http/pagination';
import { implement, Reply } from '@/lib/operation/operation';

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
export const listOverrides = implement(contract, async (context, { query }) => {
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

function conditions({ status, type, class: endpointClass, q }: QueryOf<typeof contract>, now: number): SQL | undefined {
  const active = or(isNull(overrides.expiresAt), gt(overrides.expiresAt, now));
  return and(
    isNull(overrides.removedAt),
    status === 'active' ? active : undefined,
    status === 'expired' ? lte(overrides.expiresAt, now) : undefined,
    type === undefined ? undefined : inArray(overrides.type, type),
    endpointClass === undefined ? undefined : inArray(overrides.class, endpointClass),
    q === undefined
      ? undefined
      : sql`(instr(lower(${overrides.identifier}), lower(${q})) > 0 or instr(lower(${overrides.reason}), lower(${q})) > 0)`,
  );
}
