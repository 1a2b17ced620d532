'use client';

import Link from 'next/link';
import { CopyButton } from '@/components/format/copy-button';
import { formatNumber } from '@/components/format/number';
import { RelativeTime } from '@/components/format/relative-time';
import { KeyActionItems } from '@/components/keys/key-action-items';
import type { KeyAction } from '@/components/keys/key-dialogs';
import { usedShare } from '@/components/keys/key-state';
import { KeyStateBadge } from '@/components/keys/key-state-badge';
import { TIER_NAMES, TIERS } from '@/components/keys/tiers';
import { UsageCell } from '@/components/keys/usage-cell';
import { RowMenu } from '@/components/list/common-columns';
import { listColumns } from '@/components/list/table-features';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

const column = listColumns<ApiKeyWithUsage>();

/** The columns of the list of keys. */
export function keyColumns(onAction: (action: KeyAction) => void) {
  return column.columns([
    column.accessor('name', {
      header: 'Name',
      cell: ({ row }) => (
        <div className="flex min-w-0 items-center gap-x-2 gap-y-0.5 max-sm:flex-col max-sm:items-start max-sm:py-1">
          <Link
            href={`/keys/${row.original.id}`}
            prefetch={false}
            className="max-w-56 truncate rounded-xs font-medium underline-offset-4 hover:underline max-sm:max-w-36"
          >
            {row.original.name}
          </Link>
          <KeyStateBadge row={row.original} />
        </div>
      ),
    }),
    column.accessor('prefix', {
      header: 'Key',
      cell: ({ row }) => (
        <span className="group/copy inline-flex items-center gap-0.5 font-mono text-xs text-muted-foreground">
          {row.original.prefix}…
          <CopyButton
            value={row.original.id}
            label={`Copy id of ${row.original.name}`}
            className="opacity-0 group-hover/copy:opacity-100 focus-visible:opacity-100 [@media(hover:none)]:opacity-100"
          />
        </span>
      ),
      meta: { className: 'max-lg:hidden' },
    }),
    column.accessor((row) => TIERS.indexOf(row.tier), {
      id: 'tier',
      header: 'Tier',
      cell: ({ row }) => TIER_NAMES[row.original.tier],
      meta: { className: 'max-md:hidden' },
    }),
    column.accessor((row) => usedShare(row) ?? -1, {
      id: 'usage',
      header: 'Used this month',
      cell: ({ row }) => <UsageCell apiKey={row.original} />,
    }),
    column.accessor((row) => row.remaining ?? -1, {
      id: 'remaining',
      header: 'Remaining',
      cell: ({ row }) => (row.original.remaining === null ? null : formatNumber(row.original.remaining)),
      meta: { className: 'max-xl:hidden text-right [&_button]:flex-row-reverse' },
    }),
    column.accessor('reset_at', {
      header: 'Resets',
      cell: ({ row }) => <RelativeTime at={row.original.reset_at} className="text-muted-foreground" />,
      meta: { className: 'max-lg:hidden' },
    }),
    column.accessor((row) => row.last_used_at ?? '', {
      id: 'last_used_at',
      header: 'Last used',
      cell: ({ row }) =>
        row.original.last_used_at ? (
          <RelativeTime at={row.original.last_used_at} className="text-muted-foreground" />
        ) : (
          <span className="text-muted-foreground">never</span>
        ),
      meta: { className: 'max-md:hidden' },
    }),
    column.display({
      id: 'actions',
      header: () => <span className="sr-only">Actions</span>,
      cell: ({ row }) => (
        <RowMenu label={`Actions for ${row.original.name}`}>
          <KeyActionItems row={row.original} onAction={onAction} />
        </RowMenu>
      ),
      meta: { className: 'w-0 text-right' },
    }),
  ]);
}
