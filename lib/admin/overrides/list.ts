import { and, eq, isNull, sql } from 'drizzle-orm';
import { overrides } from '@/drizzle/schema';
import { findNarrowerRanges } from '@/lib/admin/exception-kind/narrower';
import { listOverlaps } from '@/lib/admin/exception-kind/overlaps';
import { buildManagedMark } from '@/lib/admin/new-row';
import { buildOverride } from '@/lib/admin/overrides/row';
import {
  buildLastUseSorting,
  buildSortings,
  createStoredList,
  IDENTIFIER_SORTING,
  matchStatus,
  matchText,
  matchValues,
  selectLastUse,
} from '@/lib/admin/stored-list';
import { listOverrides as contract } from '@/lib/contract/overrides';
import { createColumns } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';

interface Named {
  readonly limit_name?: string | undefined;
}

export const listOverrides = implement(
  contract,
  createStoredList({
    query: (drizzle) =>
      drizzle.select({ override: overrides, lastUsedAt: selectLastUse('override', overrides.id) }).from(overrides),
    async present(rows, context) {
      const narrower = await findNarrowerRanges(
        context,
        rows.map(({ override }) => override),
      );
      const overlaps = await listOverlaps(
        context,
        rows.map(({ override }) => override),
      );
      return rows.map(({ override, lastUsedAt }, index) => {
        const range = narrower.get(override.id)?.range;
        const more = { ...(range && { narrower: range }), ...overlaps[index] };
        return { ...buildOverride(override, lastUsedAt), ...more, ...buildManagedMark(override) };
      });
    },
    download: {
      name: 'overrides',
      columns: [
        ...createColumns('id', 'type', 'identifier', 'class', 'limit', 'window_seconds', 'reason'),
        ...createColumns('expires_at', 'last_used_at', 'created_at', 'created_by'),
        ['limit_name', ({ limit_name }: Named) => limit_name ?? null] as const,
      ],
    },
    sortings: {
      ...buildSortings(overrides, 'created_at', 'expires_at', 'class', 'reason'),
      identifier: IDENTIFIER_SORTING,
      ...buildLastUseSorting('last_used_at', 'override', overrides.id),
      /** Sorts by requests per second, so that limits of different windows are comparable. */
      limit: {
        sql: sql`(cast(${overrides.limit} as real) / ${overrides.windowSeconds})`,
        of: (override) => override.limit / override.window_seconds,
      },
    },
    id: { sql: sql`${overrides.id}`, of: (override) => override.id },
    order: '-created_at',
    where: ({ status, type, identifier, class: endpointClass, limit_name: limitName, q }, now) =>
      and(
        isNull(overrides.removedAt),
        matchStatus(overrides.expiresAt, status, now),
        matchValues(overrides.type, type),
        identifier === undefined ? undefined : eq(overrides.identifier, identifier),
        matchValues(overrides.class, endpointClass),
        limitName === undefined ? undefined : eq(overrides.limitName, limitName),
        matchText(q, overrides.identifier, overrides.reason),
      ),
  }),
);
