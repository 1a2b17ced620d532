'use client';

import { Pencil, ShieldCheck, Trash2 } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { useRemoveWithUndo } from '@/components/allowlist/remove-with-undo';
import { IdentifierMenuItems } from '@/components/identifier/identifier';
import { useIdentifierActions } from '@/components/identifier/identifier-actions';
import { TARGET_LABEL, TARGET_TYPES } from '@/components/identifier/target';
import { identifierColumn, reasonColumn, timeColumn } from '@/components/list/common-columns';
import { ResourceList, RowMenu } from '@/components/list/resource-list';
import { type ResourceDeclaration, useResourceList } from '@/components/list/use-resource-list';
import { useMay } from '@/components/shell/member';
import { Badge } from '@/components/ui/badge';
import { DropdownMenuItem, DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import { type AllowlistEntry, listAllowlist } from '@/lib/contract/allowlist';

const AllowlistDialog = dynamic(
  () => import('@/components/allowlist/allowlist-dialog').then((file) => file.AllowlistDialog),
  { ssr: false },
);

const LIST: ResourceDeclaration<AllowlistEntry> = {
  title: 'Allowlist',
  description: 'Addresses and users that bypass rate limiting while their entry is active.',
  needs: 'operator',
  add: 'Add entry',
  exported: true,
  noMatch: 'No entry matches',
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
    {
      value: 'active',
      label: 'Active',
      query: { status: 'active' },
      empty: {
        icon: ShieldCheck,
        title: 'Everybody is limited',
        text: 'Add an address, a range or a user that must never be refused, such as a health check or a partner.',
      },
    },
    {
      value: 'expired',
      label: 'Expired',
      query: { status: 'expired' },
      empty: { title: 'No entry has expired', text: 'Expired entries stay here until they are removed.' },
    },
  ],
  refetchInterval: 30_000,
  columns: [
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
  ],
  rowId: ({ id }) => id,
};

export function AllowlistPage() {
  const list = useResourceList(LIST);
  const may = useMay('operator');
  const remove = useRemoveWithUndo();
  const actions = useIdentifierActions();
  const [edited, setEdited] = useState<AllowlistEntry | null>(null);
  return (
    <>
      <ResourceList
        list={list}
        onAdd={() => actions.allowlist(null)}
        rowActions={(entry) => (
          <RowMenu name={entry.identifier}>
            <DropdownMenuItem disabled={!may} onSelect={() => setEdited(entry)}>
              <Pencil aria-hidden /> Edit reason and expiry…
            </DropdownMenuItem>
            <IdentifierMenuItems target={entry} />
            <DropdownMenuSeparator />
            <DropdownMenuItem destructive disabled={!may} onSelect={() => void remove(entry)}>
              <Trash2 aria-hidden /> Remove
            </DropdownMenuItem>
          </RowMenu>
        )}
      />
      {edited ? <AllowlistDialog initial={null} entry={edited} onClose={() => setEdited(null)} /> : null}
    </>
  );
}
