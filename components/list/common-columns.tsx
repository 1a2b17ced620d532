import type { ReactNode } from 'react';
import { RelativeTime } from '@/components/format/relative-time';
import { Identifier } from '@/components/identifier/identifier';
import type { Target } from '@/components/identifier/target';
import type { TableColumn } from '@/components/list/data-table';
import type { EmptyText } from '@/components/list/use-resource-list';

/** An address, range or user. `below` is a second line on narrow screens. */
export function identifierColumn<Row extends Target>(below: (row: Row) => ReactNode): TableColumn<Row> {
  return {
    id: 'identifier',
    header: 'Identifier',
    cell: (row) => (
      <div className="max-sm:py-1">
        <Identifier target={row} menu={false} className="max-w-60 max-sm:max-w-44" />
        <p className="max-w-44 truncate text-xs text-muted-foreground sm:hidden">{below(row)}</p>
      </div>
    ),
  };
}

export function reasonColumn<Row extends { reason: string | null }>(className: string): TableColumn<Row> {
  return {
    id: 'reason',
    header: 'Reason',
    cell: ({ reason }) => (
      <span className="block max-w-72 truncate" title={reason ?? undefined}>
        {reason}
      </span>
    ),
    className: `${className} w-full`,
  };
}

/** A time in the past or future, or "never". */
export function timeColumn<Id extends string>(
  id: Id,
  header: string,
  className?: string,
): TableColumn<Record<Id, string | null>> {
  return {
    id,
    header,
    cell: ({ [id]: at }) =>
      at === null ? (
        <span className="text-muted-foreground">never</span>
      ) : (
        <RelativeTime at={at} className="text-muted-foreground" />
      ),
    className,
  };
}

/** The tabs of entries that expire, each with what it says while it is empty. */
export function expiryTabs(active: EmptyText, expired: EmptyText) {
  return [
    { value: 'active', label: 'Active', query: { status: 'active' }, empty: active },
    { value: 'expired', label: 'Expired', query: { status: 'expired' }, empty: expired },
  ];
}
