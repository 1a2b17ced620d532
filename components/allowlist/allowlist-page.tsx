'use client';

import { ShieldCheck } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useRemoveWithUndo } from '@/components/allowlist/remove-with-undo';
import { EntryMenu } from '@/components/identifier/identifier';
import { TARGET_LABEL, TARGET_TYPES } from '@/components/identifier/target';
import { expiryTabs, identifierColumn, reasonColumn, timeColumn } from '@/components/list/common-columns';
import { ResourceList } from '@/components/list/resource-list';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { useDialog } from '@/components/shell/dialogs';
import { Badge } from '@/components/ui/badge';
import { type AllowlistEntry, listAllowlist } from '@/lib/contract/allowlist';

const AllowlistDialog = dynamic(() => import('@/components/allowlist/allowlist-dialog'), { ssr: false });

const LIST: ResourceDeclaration<AllowlistEntry> = {
  title: 'Allowlist',
  description: 'Addresses and users that bypass rate limiting while their entry is active.',
  needs: 'operator',
  add: { label: 'Add entry', Dialog: AllowlistDialog },
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
  tabs: expiryTabs(
    {
      icon: ShieldCheck,
      title: 'Everybody is limited',
      text: 'Add an address, a range or a user that must never be refused, such as a health check or a partner.',
    },
    { title: 'No entry has expired', text: 'Expired entries stay here until they are removed.' },
  ),
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
  RowActions,
};

function RowActions({ row: entry }: { row: AllowlistEntry }) {
  const open = useDialog();
  const remove = useRemoveWithUndo();
  return (
    <EntryMenu
      entry={entry}
      edit={{
        label: 'Edit reason and expiry…',
        run: () => open((onClose) => <AllowlistDialog entry={entry} onClose={onClose} />),
      }}
      remove={{ label: 'Remove', run: () => void remove(entry) }}
    />
  );
}

export const AllowlistPage = () => <ResourceList declaration={LIST} />;
