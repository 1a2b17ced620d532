'use client';

import { ShieldCheck } from 'lucide-react';
import { ALLOWLIST_ACTIONS, AllowlistDialog } from '@/components/allowlist/allowlist-actions';
import type { Selection } from '@/components/batch/batch-action';
import { endAction, removeAction } from '@/components/batch/common-actions';
import { type Selectable, useSelection } from '@/components/batch/use-selection';
import { buildEntryList, EntryMenu, identifierColumn } from '@/components/identifier/entry-list';
import { isRange, TARGET_LABEL, TARGET_TYPES } from '@/components/links/target';
import { reasonColumn, textColumn, timeColumn } from '@/components/list/common-columns';
import { ResourceList } from '@/components/list/resource-list';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { Badge } from '@/components/ui/badge';
import { type AllowlistEntry, listAllowlist } from '@/lib/contract/allowlist';

const SELECTION: Selection<AllowlistEntry> = {
  nouns: ['entry', 'entries'],
  id: ({ id }) => id,
  isManaged: ({ managed }) => managed === true,
  name: ({ identifier }) => identifier,
  target: ({ identifier }) => identifier,
  changes: ['allowlist', 'exceptions'],
  actions: [
    endAction({
      example: 'The load test goes on until Friday',
      asks: 'end or never',
      buildCall: ({ type, identifier }, { end, reason }) => ({
        operation: 'extendAllowlistEntry',
        item: { type, identifier, expires_at: end, reason },
      }),
    }),
    removeAction({
      description: 'Their requests are limited again, starting with the next one.',
      example: 'The load test is over',
      done: (what) => `${what} removed from the allowlist`,
      buildCall: ({ type, identifier }, { reason }) => ({
        operation: 'removeAllowlistEntry',
        item: { type, identifier, reason },
      }),
    }),
  ],
};

const useEntrySelection = (list: Selectable<AllowlistEntry>) => useSelection(SELECTION, list);

const LIST: ResourceDeclaration<AllowlistEntry> = {
  ...buildEntryList(
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
      cell: (entry) => <Badge>{isRange(entry) ? 'Range' : TARGET_LABEL[entry.type]}</Badge>,
      className: 'max-md:hidden',
      phone: 'aside',
    },
    reasonColumn(''),
    timeColumn('expires_at', 'Expires'),
    textColumn('created_by', 'Added by', 'block max-w-44 truncate text-muted-foreground', 'max-lg:hidden', 'hidden'),
    timeColumn('created_at', 'Added', 'max-lg:hidden', 'hidden'),
  ],
  useSelection: useEntrySelection,
  RowActions: ({ row }) => <EntryMenu actions={ALLOWLIST_ACTIONS} row={row} omit="allowlist" />,
};

export const AllowlistPage = () => <ResourceList declaration={LIST} />;
