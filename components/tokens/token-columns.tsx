'use client';

import { RelativeTime } from '@/components/format/relative-time';
import { listColumns } from '@/components/list/table-features';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import type { AdminToken } from '@/lib/contract/tokens';

const column = listColumns<AdminToken>();
const never = <span className="text-muted-foreground">never</span>;

/** The columns of the admin tokens. */
export function tokenColumns({ owner, onRevoke }: { owner: boolean; onRevoke: (token: AdminToken) => void }) {
  return column.columns([
    column.accessor('name', {
      header: 'Name',
      cell: ({ row }) => (
        <span className="block max-w-56 truncate font-medium max-sm:max-w-28">{row.original.name}</span>
      ),
    }),
    column.accessor('prefix', {
      header: 'Token',
      cell: ({ row }) => <span className="font-mono text-xs text-muted-foreground">{row.original.prefix}…</span>,
      meta: { className: 'max-md:hidden' },
    }),
    column.accessor('role', {
      header: 'Role',
      cell: ({ row }) => <Badge className="capitalize">{row.original.role}</Badge>,
    }),
    column.accessor((row) => row.expires_at ?? '9', {
      id: 'expires_at',
      header: 'Expires',
      cell: ({ row }) => (row.original.expires_at ? <RelativeTime at={row.original.expires_at} /> : never),
      meta: { className: 'max-sm:hidden' },
    }),
    column.accessor((row) => row.last_used_at ?? '', {
      id: 'last_used_at',
      header: 'Last used',
      cell: ({ row }) =>
        row.original.last_used_at ? (
          <RelativeTime at={row.original.last_used_at} className="text-muted-foreground" />
        ) : (
          never
        ),
      meta: { className: 'max-md:hidden' },
    }),
    column.accessor('created_by', {
      header: 'Made by',
      cell: ({ row }) => <span className="text-muted-foreground">{row.original.created_by}</span>,
      meta: { className: 'max-lg:hidden w-full' },
    }),
    column.display({
      id: 'actions',
      header: () => <span className="sr-only">Actions</span>,
      cell: ({ row }) => (
        <Button
          variant="ghost"
          size="sm"
          disabled={!owner}
          onClick={() => onRevoke(row.original)}
          aria-label={`Revoke ${row.original.name}`}
        >
          Revoke
        </Button>
      ),
      meta: { className: 'w-0 text-right' },
    }),
  ]);
}
