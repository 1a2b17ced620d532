import { and, isNull, sql } from 'drizzle-orm';
import { lastUses, overrides } from '@/drizzle/schema';
import { toOverride } from '@/lib/admin/overrides/row';
import { contains, inStatus, lastUseOf, oneOf } from '@/lib/admin/stored-list';
import { listOverrides as contract } from '@/lib/contract/overrides';
import { columnsOf, list, NEVER, timeOf } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';

export const listOverrides = implement(
  contract,
  list({
    read: async ({ services }, { where, orderBy, limit }) => {
      const rows = services.database.drizzle
        .select({ row: overrides, lastUsedAt: lastUses.at })
        .from(overrides)
        .leftJoin(lastUses, lastUseOf('override', overrides.id))
        .where(where);
      const found = await rows.orderBy(...orderBy).limit(limit);
      return found.map(({ row, lastUsedAt }) => toOverride(row, lastUsedAt));
    },
    download: {
      name: 'overrides',
      columns: columnsOf(
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
      ),
    },
    sortings: {
      created_at: { sql: sql`${overrides.createdAt}`, of: (row) => timeOf(row.created_at) },
      expires_at: { sql: sql`coalesce(${overrides.expiresAt}, ${NEVER})`, of: (row) => timeOf(row.expires_at, NEVER) },
      last_used_at: { sql: sql`coalesce(${lastUses.at}, 0)`, of: (row) => timeOf(row.last_used_at) },
      identifier: { sql: sql`${overrides.identifier}`, of: (row) => row.identifier },
      class: { sql: sql`${overrides.class}`, of: (row) => row.class },
      /** Requests a second: limits of different windows compare by what they mean. */
      limit: {
        sql: sql`(cast(${overrides.limit} as real) / ${overrides.windowSeconds})`,
        of: (row) => row.limit / row.window_seconds,
      },
      reason: { sql: sql`${overrides.reason}`, of: (row) => row.reason },
    },
    id: { sql: sql`${overrides.id}`, of: (row) => row.id },
    order: '-created_at',
    where: ({ status, type, class: endpointClass, q }, now) =>
      and(
        isNull(overrides.removedAt),
        inStatus(overrides.expiresAt, status, now),
        oneOf(overrides.type, type),
        oneOf(overrides.class, endpointClass),
        contains(q, overrides.identifier, overrides.reason),
      ),
  }),
);
