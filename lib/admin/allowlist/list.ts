import { and, isNotNull, isNull, sql } from 'drizzle-orm';
import { allowlist } from '@/drizzle/schema';
import { toAllowlistEntry } from '@/lib/admin/allowlist/row';
import { contains, inStatus, oneOf } from '@/lib/admin/stored-list';
import { listAllowlist as contract } from '@/lib/contract/allowlist';
import { columnsOf, list, NEVER, timeOf } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';

/** The allowlist: everything, unless a page is asked for. */
export const listAllowlist = implement(
  contract,
  list({
    read: async ({ services }, { where, orderBy, limit }) => {
      const rows = services.database.drizzle.select().from(allowlist).where(where);
      return (await rows.orderBy(...orderBy).limit(limit)).map(toAllowlistEntry);
    },
    download: {
      name: 'allowlist',
      columns: columnsOf('id', 'type', 'identifier', 'reason', 'expires_at', 'created_at', 'created_by'),
    },
    sortings: {
      created_at: { sql: sql`${allowlist.createdAt}`, of: (row) => timeOf(row.created_at) },
      expires_at: { sql: sql`coalesce(${allowlist.expiresAt}, ${NEVER})`, of: (row) => timeOf(row.expires_at, NEVER) },
      identifier: { sql: sql`${allowlist.identifier}`, of: (row) => row.identifier },
      type: { sql: sql`${allowlist.type}`, of: (row) => row.type },
      reason: { sql: sql`${allowlist.reason}`, of: (row) => row.reason },
      created_by: { sql: sql`${allowlist.createdBy}`, of: (row) => row.created_by },
    },
    id: { sql: sql`${allowlist.id}`, of: (row) => row.id },
    order: '-created_at',
    defaultLimit: 'all',
    where: ({ status, type, q, expiry }, now) =>
      and(
        isNull(allowlist.removedAt),
        inStatus(allowlist.expiresAt, status, now),
        oneOf(allowlist.type, type),
        expiry === 'set' ? isNotNull(allowlist.expiresAt) : undefined,
        expiry === 'never' ? isNull(allowlist.expiresAt) : undefined,
        contains(q, allowlist.identifier, allowlist.reason),
      ),
  }),
);
