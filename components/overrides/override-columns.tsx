'use client';

import { Pencil, Trash2 } from 'lucide-react';
import { formatPace, formatWindow } from '@/components/format/duration';
import { formatNumber } from '@/components/format/number';
import { RelativeTime } from '@/components/format/relative-time';
import { Identifier, IdentifierMenuItems } from '@/components/identifier/identifier';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { RowMenu } from '@/components/list/common-columns';
import { listColumns } from '@/components/list/table-features';
import { DropdownMenuItem, DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import type { Override } from '@/lib/contract/overrides';

const column = listColumns<Override>();
const quiet = <span className="text-muted-foreground">never</span>;

/** The columns of the overrides; `may` says whether the person can change them. */
export function overrideColumns({
  may,
  onEdit,
  onRemove,
}: {
  may: boolean;
  onEdit: (override: Override) => void;
  onRemove: (override: Override) => void;
}) {
  return column.columns([
    column.accessor('identifier', {
      header: 'Identifier',
      cell: ({ row }) => <Identifier target={row.original} menu={false} className="max-w-56 max-sm:max-w-36" />,
    }),
    column.accessor('class', {
      header: 'Class',
      cell: ({ row }) => CLASS_NAMES[row.original.class],
      meta: { className: 'max-sm:hidden' },
    }),
    column.accessor((row) => row.limit / row.window_seconds, {
      id: 'limit',
      header: 'Limit',
      cell: ({ row }) => (
        <span title={formatPace(row.original.limit, row.original.window_seconds)}>
          <span className="font-medium">{formatNumber(row.original.limit)}</span>{' '}
          <span className="text-muted-foreground">in {formatWindow(row.original.window_seconds)}</span>
        </span>
      ),
    }),
    column.accessor('reason', {
      header: 'Reason',
      cell: ({ row }) => (
        <span className="block max-w-64 truncate" title={row.original.reason}>
          {row.original.reason}
        </span>
      ),
      meta: { className: 'max-md:hidden w-full' },
    }),
    column.accessor((row) => row.expires_at ?? '9', {
      id: 'expires_at',
      header: 'Expires',
      cell: ({ row }) => (row.original.expires_at ? <RelativeTime at={row.original.expires_at} /> : quiet),
      meta: { className: 'max-md:hidden' },
    }),
    column.accessor((row) => row.last_used_at ?? '', {
      id: 'last_used_at',
      header: 'Last used',
      cell: ({ row }) =>
        row.original.last_used_at ? (
          <RelativeTime at={row.original.last_used_at} className="text-muted-foreground" />
        ) : (
          quiet
        ),
      meta: { className: 'max-lg:hidden' },
    }),
    column.accessor('created_at', {
      header: 'Made',
      cell: ({ row }) => <RelativeTime at={row.original.created_at} className="text-muted-foreground" />,
      meta: { className: 'max-lg:hidden' },
    }),
    column.display({
      id: 'actions',
      header: () => <span className="sr-only">Actions</span>,
      cell: ({ row }) => (
        <RowMenu label={`Actions for ${row.original.identifier}`}>
          <DropdownMenuItem disabled={!may} onSelect={() => onEdit(row.original)}>
            <Pencil aria-hidden /> Edit…
          </DropdownMenuItem>
          <IdentifierMenuItems target={row.original} />
          <DropdownMenuSeparator />
          <DropdownMenuItem destructive disabled={!may} onSelect={() => onRemove(row.original)}>
            <Trash2 aria-hidden /> Remove…
          </DropdownMenuItem>
        </RowMenu>
      ),
      meta: { className: 'w-0 text-right' },
    }),
  ]);
}
