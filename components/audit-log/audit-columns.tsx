'use client';

import { RelativeTime } from '@/components/format/relative-time';
import { listColumns } from '@/components/list/table-features';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import type { AuditRecord } from '@/lib/contract/audit-log';

const column = listColumns<AuditRecord>();

/** The columns of the audit log. */
export function auditColumns(onOpen: (record: AuditRecord) => void) {
  return column.columns([
    column.accessor('at', {
      header: 'When',
      cell: ({ row }) => <RelativeTime at={row.original.at} className="text-muted-foreground" />,
    }),
    column.accessor('actor_name', {
      header: 'Who',
      cell: ({ row }) => <span className="block max-w-48 truncate max-sm:max-w-28">{row.original.actor_name}</span>,
    }),
    column.accessor('action', {
      header: 'What',
      cell: ({ row }) => (
        <button type="button" className="rounded-sm hover:opacity-80" onClick={() => onOpen(row.original)}>
          <Badge className="font-mono">{row.original.action}</Badge>
        </button>
      ),
    }),
    column.accessor('target', {
      header: 'On what',
      cell: ({ row }) => (
        <span className="block max-w-56 truncate font-mono text-xs" title={row.original.target}>
          {row.original.target}
        </span>
      ),
      meta: { className: 'max-md:hidden' },
    }),
    column.accessor('reason', {
      header: 'Reason',
      cell: ({ row }) => <span className="block max-w-64 truncate text-muted-foreground">{row.original.reason}</span>,
      meta: { className: 'max-lg:hidden w-full' },
    }),
    column.display({
      id: 'actions',
      header: () => <span className="sr-only">Details</span>,
      cell: ({ row }) => (
        <Button
          variant="ghost"
          size="sm"
          onClick={() => onOpen(row.original)}
          aria-label={`Details of change ${row.original.seq}`}
        >
          Details
        </Button>
      ),
      meta: { className: 'w-0 text-right max-sm:hidden' },
    }),
  ]);
}
