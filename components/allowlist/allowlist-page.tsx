'use client';

import { Pencil, Plus, ShieldCheck, Trash2 } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { useRemoveWithUndo } from '@/components/allowlist/remove-with-undo';
import { IdentifierMenuItems } from '@/components/identifier/identifier';
import { useIdentifierActions } from '@/components/identifier/identifier-actions';
import { TARGET_LABEL, TARGET_TYPES } from '@/components/identifier/target';
import { actionsColumn, identifierColumn, reasonColumn, timeColumn } from '@/components/list/common-columns';
import type { Column } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import { ExportMenu } from '@/components/list/export-menu';
import { ResourceList } from '@/components/list/resource-list';
import { type ListDefinition, useResourceList } from '@/components/list/use-resource-list';
import { useMay } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { DropdownMenuItem, DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import { type AllowlistEntry, listAllowlist } from '@/lib/contract/allowlist';

const AllowlistDialog = dynamic(
  () => import('@/components/allowlist/allowlist-dialog').then((file) => file.AllowlistDialog),
  { ssr: false },
);

const LIST: ListDefinition<AllowlistEntry> = {
  key: 'allowlist',
  contract: listAllowlist,
  label: 'Allowlist entries',
  search: { label: 'Search identifier or reason' },
  sortings: ['identifier', 'type', 'reason', 'expires_at', 'created_by', 'created_at'],
  sort: '-created_at',
  facets: [
    { name: 'type', label: 'Type', options: TARGET_TYPES },
    {
      name: 'expiry',
      label: 'Expiry',
      options: [
        { value: 'set', label: 'Expires' },
        { value: 'never', label: 'Never expires' },
      ],
    },
  ],
  tabs: [
    { value: 'active', label: 'Active', query: { status: 'active' } },
    { value: 'expired', label: 'Expired', query: { status: 'expired' } },
  ],
  refetchInterval: 30_000,
};

const COLUMNS: readonly Column<AllowlistEntry>[] = [
  identifierColumn(({ reason }) => reason),
  {
    id: 'type',
    header: 'Type',
    cell: ({ type, identifier }) => (
      <Badge>{type === 'ip' && identifier.includes('/') ? 'Range' : TARGET_LABEL[type]}</Badge>
    ),
    className: 'max-md:hidden',
  },
  reasonColumn('max-sm:hidden'),
  timeColumn('expires_at', 'Expires'),
  {
    id: 'created_by',
    header: 'Added by',
    cell: ({ created_by }) => <span className="block max-w-44 truncate text-muted-foreground">{created_by}</span>,
    className: 'max-lg:hidden',
  },
  timeColumn('created_at', 'Added', 'max-lg:hidden'),
];

/** Who bypasses rate limiting, until when and why. */
export function AllowlistPage() {
  const list = useResourceList(LIST);
  const may = useMay('operator');
  const remove = useRemoveWithUndo();
  const actions = useIdentifierActions();
  const [edited, setEdited] = useState<AllowlistEntry | null>(null);
  const add = (
    <Button onClick={() => actions.allowlist(null)} disabled={!may}>
      <Plus aria-hidden /> Add entry
    </Button>
  );
  const menu = actionsColumn<AllowlistEntry>(
    ({ identifier }) => identifier,
    (entry) => (
      <>
        <DropdownMenuItem disabled={!may} onSelect={() => setEdited(entry)}>
          <Pencil aria-hidden /> Edit reason and expiry…
        </DropdownMenuItem>
        <IdentifierMenuItems target={entry} />
        <DropdownMenuSeparator />
        <DropdownMenuItem destructive disabled={!may} onSelect={() => void remove(entry)}>
          <Trash2 aria-hidden /> Remove
        </DropdownMenuItem>
      </>
    ),
  );
  return (
    <>
      <PageHeader
        title="Allowlist"
        description="Addresses and users that bypass rate limiting while their entry is active."
        needs="operator"
        actions={add}
      />
      <ResourceList
        list={list}
        columns={[...COLUMNS, menu]}
        rowId={({ id }) => id}
        noMatch="No entry matches"
        empty={
          list.tab === 'expired' ? (
            <EmptyState title="No entry has expired">Expired entries stay here until they are removed.</EmptyState>
          ) : (
            <EmptyState icon={ShieldCheck} title="Everybody is limited" action={add}>
              Add an address, a range or a user that must never be refused, such as a health check or a partner.
            </EmptyState>
          )
        }
      >
        <ExportMenu href={list.download} />
      </ResourceList>
      {edited ? <AllowlistDialog initial={null} entry={edited} onClose={() => setEdited(null)} /> : null}
    </>
  );
}
