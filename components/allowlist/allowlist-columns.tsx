'use client';

import { Pencil, Trash2 } from 'lucide-react';
import { RelativeTime } from '@/components/format/relative-time';
import { Identifier, IdentifierMenuItems } from '@/components/identifier/identifier';
import { TARGET_LABEL } from '@/components/identifier/target';
import { RowMenu } from '@/components/list/common-columns';
import { listColumns } from '@/components/list/table-features';
import { Badge } from '@/components/ui/badge';
import { DropdownMenuItem, DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import type { AllowlistEntry } from '@/lib/contract/allowlist';

const column = listColumns<AllowlistEntry>();

/** The columns of the allowlist; `may` says whether the person can change it. */
export function allowlistColumns({
  may,
  onEdit,
  onRemove,
}: {
  may: boolean;
  onEdit: (entry: AllowlistEntry) => void;
  onRemove: (entry: AllowlistEntry) => void;
}) {
  return column.columns([
    column.accessor('identifier', {
      header: 'Identifier',
      cell: ({ row }) => (
        <div className="max-sm:py-1">
          <Identifier target={row.original} menu={false} className="max-w-60 max-sm:max-w-44" />
          <p className="max-w-44 truncate text-xs text-muted-foreground sm:hidden">{row.original.reason}</p>
        </div>
      ),
    }),
    column.accessor('type', {
      header: 'Type',
      cell: ({ row }) => (
        <Badge>
          {row.original.identifier.includes('/') && row.original.type === 'ip'
            ? 'Range'
            : TARGET_LABEL[row.original.type]}
        </Badge>
      ),
      meta: { className: 'max-md:hidden' },
    }),
    column.accessor('reason', {
      header: 'Reason',
      cell: ({ row }) => (
        <span className="block max-w-72 truncate" title={row.original.reason}>
          {row.original.reason}
        </span>
      ),
      meta: { className: 'max-sm:hidden w-full' },
    }),
    column.accessor((row) => (row.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.expires_at)), {
      id: 'expires_at',
      header: 'Expires',
      cell: ({ row }) =>
        row.original.expires_at ? (
          <RelativeTime at={row.original.expires_at} />
        ) : (
          <span className="text-muted-foreground">never</span>
        ),
    }),
    column.accessor('created_by', {
      header: 'Added by',
      cell: ({ row }) => (
        <span className="block max-w-44 truncate text-muted-foreground">{row.original.created_by}</span>
      ),
      meta: { className: 'max-lg:hidden' },
    }),
    column.accessor('created_at', {
      header: 'Added',
      cell: ({ row }) => <RelativeTime at={row.original.created_at} className="text-muted-foreground" />,
      meta: { className: 'max-lg:hidden' },
    }),
    column.display({
      id: 'actions',
      header: () => <span className="sr-only">Actions</span>,
      cell: ({ row }) => (
        <RowMenu label={`Actions for ${row.original.identifier}`}>
          <DropdownMenuItem disabled={!may} onSelect={() => onEdit(row.original)}>
            <Pencil aria-hidden /> Edit reason and expiry…
          </DropdownMenuItem>
          <IdentifierMenuItems target={row.original} />
          <DropdownMenuSeparator />
          <DropdownMenuItem destructive disabled={!may} onSelect={() => onRemove(row.original)}>
            <Trash2 aria-hidden /> Remove
          </DropdownMenuItem>
        </RowMenu>
      ),
      meta: { className: 'w-0 text-right' },
    }),
  ]);
}
