'use client';

import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useUndo } from '@/components/audit-log/use-undo';
import { type CallAnswer, call } from '@/components/call';
import { toastError } from '@/components/explain-error';
import { EntryMenu, entryList, identifierColumn } from '@/components/identifier/entry-list';
import { AllowlistDialog } from '@/components/identifier/identifier';
import { shorten } from '@/components/identifier/shorten';
import { TARGET_LABEL, TARGET_TYPES } from '@/components/identifier/target';
import { reasonColumn, textColumn, timeColumn } from '@/components/list/common-columns';
import { ResourceList } from '@/components/list/resource-list';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { useDialog } from '@/components/shell/dialogs';
import { Badge } from '@/components/ui/badge';
import { type AllowlistEntry, listAllowlist, removeAllowlistEntry } from '@/lib/contract/allowlist';

const LIST: ResourceDeclaration<AllowlistEntry> = {
  ...entryList(
    {
      icon: ShieldCheck,
      title: 'Everyone is limited',
      text: 'Add an address, a range or a user that should never be refused, such as a health check or a partner.',
    },
    { title: 'No entry has expired', text: 'Expired entries stay here until they are removed.' },
  ),
  title: 'Allowlist',
  description: 'Addresses and users that bypass rate limiting while their entry is active.',
  add: { label: 'Add entry', Dialog: AllowlistDialog },
  noMatch: 'No entry matches',
  key: 'allowlist',
  contract: listAllowlist,
  label: 'Allowlist entries',
  sortings: ['identifier', 'type', 'reason', 'expires_at', 'created_by', 'created_at'],
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
  columns: [
    identifierColumn(),
    {
      id: 'type',
      header: 'Type',
      cell: ({ type, identifier }) => (
        <Badge>{type === 'ip' && identifier.includes('/') ? 'Range' : TARGET_LABEL[type]}</Badge>
      ),
      className: 'max-md:hidden',
      phone: 'aside',
    },
    reasonColumn(''),
    timeColumn('expires_at', 'Expires'),
    textColumn('created_by', 'Added by', 'block max-w-44 truncate text-muted-foreground', 'max-lg:hidden', 'hidden'),
    timeColumn('created_at', 'Added', 'max-lg:hidden', 'hidden'),
  ],
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

type Pages = InfiniteData<CallAnswer<AllowlistEntry[]>>;

const without = (list: Pages, id: string): Pages => ({
  ...list,
  pages: list.pages.map((page) => ({ ...page, value: page.value.filter((entry) => entry.id !== id) })),
});

/** Removes an entry at once; the toast offers to restore it. */
function useRemoveWithUndo(): (entry: AllowlistEntry) => Promise<void> {
  const queries = useQueryClient();
  const { offer } = useUndo();
  const queryKey = ['allowlist'];
  return async (entry) => {
    const { id, type, identifier } = entry;
    await queries.cancelQueries({ queryKey });
    // The dialog's look-up of one entry has this key too, and is no list.
    queries.setQueriesData<Pages | object>({ queryKey }, (list) =>
      list !== undefined && 'pages' in list ? without(list, id) : list,
    );
    try {
      const { auditSeq } = await call(removeAllowlistEntry, { body: { type, identifier } });
      offer({
        title: `${shorten(identifier)} was removed`,
        description: 'Its limits apply again from the next request.',
        auditSeq,
      });
    } catch (error) {
      toastError(error);
    }
    await queries.invalidateQueries({ queryKey });
  };
}

export const AllowlistPage = () => <ResourceList declaration={LIST} />;
