import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { allowlist } from '@/drizzle/schema';
import { buildAllowlistEntry } from '@/lib/admin/allowlist/row';
import { findNarrowerRanges } from '@/lib/admin/exception-kind/narrower';
import { listOverlaps } from '@/lib/admin/exception-kind/overlaps';
import { buildManagedMark } from '@/lib/admin/new-row';
import {
  buildSortings,
  createStoredList,
  IDENTIFIER_SORTING,
  matchStatus,
  matchText,
  matchValues,
} from '@/lib/admin/stored-list';
import { listAllowlist as contract } from '@/lib/contract/allowlist';
import { createColumns } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';

/** Lists the allowlist: all entries, unless the query asks for a page. */
export const listAllowlist = implement(
  contract,
  createStoredList({
    query: (drizzle) => drizzle.select().from(allowlist),
    async present(rows, context) {
      const narrower = await findNarrowerRanges(context, rows);
      const overlaps = await listOverlaps(
        context,
        rows.map(({ type, identifier }) => ({ type, identifier })),
      );
      return rows.map((row, index) => {
        const range = narrower.get(row.id)?.range;
        const { within: _, ...overlap } = overlaps[index] ?? {};
        return { ...buildAllowlistEntry(row), ...(range && { narrower: range }), ...overlap, ...buildManagedMark(row) };
      });
    },
    download: {
      name: 'allowlist',
      columns: createColumns('id', 'type', 'identifier', 'reason', 'expires_at', 'created_at', 'created_by'),
    },
    sortings: {
      ...buildSortings(allowlist, 'created_at', 'expires_at', 'type', 'reason', 'created_by'),
      identifier: IDENTIFIER_SORTING,
    },
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
        matchText(q, allowlist.identifier, allowlist.reason),
      ),
  }),
);
