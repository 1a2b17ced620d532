import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { allowlist } from '@/drizzle/schema';
import { toAllowlistEntry } from '@/lib/admin/allowlist/row';
import { narrowerRanges } from '@/lib/admin/exception-kind/narrower';
import { listOverlaps } from '@/lib/admin/exception-kind/overlaps';
import { toMark } from '@/lib/admin/new-row';
import { contains, matchStatus, matchValues, sortingsBy, storedList } from '@/lib/admin/stored-list';
import { listAllowlist as contract } from '@/lib/contract/allowlist';
import { createColumns } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';

/** Lists the allowlist: all entries, unless the query asks for a page. */
export const listAllowlist = implement(
  contract,
  storedList({
    query: (drizzle) => drizzle.select().from(allowlist),
    async present(rows, context) {
      const narrower = await narrowerRanges(context, rows);
      const overlaps = await listOverlaps(
        context,
        rows.map(({ type, identifier }) => ({ type, identifier })),
      );
      return rows.map((row, index) => {
        const range = narrower.get(row.id)?.range;
        const { within: _, ...overlap } = overlaps[index] ?? {};
        return { ...toAllowlistEntry(row), ...(range && { narrower: range }), ...overlap, ...toMark(row) };
      });
    },
    download: {
      name: 'allowlist',
      columns: createColumns('id', 'type', 'identifier', 'reason', 'expires_at', 'created_at', 'created_by'),
    },
    sortings: sortingsBy(allowlist, 'created_at', 'expires_at', 'identifier', 'type', 'reason', 'created_by'),
    id: { sql: sql`${allowlist.id}`, of: (row) => row.id },
    order: '-created_at',
    defaultLimit: 'all',
    where: ({ status, type, identifier, q, expiry }, now) =>
      and(
        isNull(allowlist.removedAt),
        matchStatus(allowlist.expiresAt, status, now),
        matchValues(allowlist.type, type),
        identifier === undefined ? undefined : eq(allowlist.identifier, identifier),
        expiry === 'set' ? isNotNull(allowlist.expiresAt) : undefined,
        expiry === 'never' ? isNull(allowlist.expiresAt) : undefined,
        contains(q, allowlist.identifier, allowlist.reason),
      ),
  }),
);
