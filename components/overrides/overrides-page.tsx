'use client';

import { SlidersHorizontal } from 'lucide-react';
import type { Selection } from '@/components/batch/batch-action';
import { endAction, removeAction } from '@/components/batch/common-actions';
import { type Selectable, useSelection } from '@/components/batch/use-selection';
import { formatPace } from '@/components/format/duration';
import { buildEntryList, EntryMenu, identifierColumn } from '@/components/identifier/entry-list';
import { OVERRIDDEN_TYPES } from '@/components/links/target';
import { reasonColumn, timeColumn } from '@/components/list/common-columns';
import { ResourceList } from '@/components/list/resource-list';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { formatLimitNumbers } from '@/components/named-limits/numbers-words';
import { OVERRIDE_ACTIONS, OverrideDialog } from '@/components/overrides/override-actions';
import { buildOverrideTarget, isOfClass, nameLimit } from '@/components/overrides/override-words';
import { CLASS_OPTIONS } from '@/components/vocabulary/class-names';
import { listOverrides, type Override } from '@/lib/contract/overrides';

const SELECTION: Selection<Override> = {
  nouns: ['override', 'overrides'],
  id: ({ id }) => id,
  isManaged: ({ managed }) => managed === true,
  name: (override) => `${override.identifier}, ${nameLimit(override)}`,
  target: ({ identifier }) => identifier,
  changes: ['overrides', 'exceptions'],
  actions: [
    endAction({
      example: 'The partner still needs it',
      asks: 'end or never',
      buildCall: (override, { end, reason }) => ({
        operation: 'extendOverride',
        item: { ...buildOverrideTarget(override), expires_at: end, reason },
      }),
    }),
    removeAction({
      description: 'The usual limits apply again, starting with the next request.',
      example: 'The campaign is over',
      buildCall: (override, { reason }) => ({
        operation: 'removeOverride',
        item: { ...buildOverrideTarget(override), reason },
      }),
    }),
  ],
};

const useOverrideSelection = (list: Selectable<Override>) => useSelection(SELECTION, list);

const LIST: ResourceDeclaration<Override> = {
  ...buildEntryList(
    {
      icon: SlidersHorizontal,
      title: 'No overrides: the policies apply to everyone',
      text: 'Give a partner more room, or slow one address down without blocking it.',
    },
    {
      title: 'No override has expired',
      text: "Expired overrides stay here until they are removed; the policy's limits apply again.",
    },
  ),
  title: 'Overrides',
  description:
    "Limits for one address, range or user that replace the policy's, and numbers for one subject of a named limit.",
  add: { label: 'Add override', Dialog: OverrideDialog },
  noMatch: 'No override matches',
  key: 'overrides',
  contract: listOverrides,
  label: 'Overrides',
  sortings: ['identifier', 'class', 'limit', 'reason', 'expires_at', 'last_used_at', 'created_at'],
  facets: [
    { name: 'class', label: 'Class', options: CLASS_OPTIONS },
    { name: 'type', label: 'Type', options: OVERRIDDEN_TYPES },
    { name: 'limit_name', label: 'Named limit' },
  ],
  columns: [
    identifierColumn(),
    { id: 'class', header: 'Class or limit', cell: (override) => nameLimit(override), phone: 'detail' },
    {
      id: 'limit',
      header: 'Limit',
      cell: (override) => (
        <span
          className="font-medium"
          title={isOfClass(override) ? formatPace(override.limit, override.window_seconds) : undefined}
        >
          {formatLimitNumbers(override)}
        </span>
      ),
      phone: 'aside',
    },
    reasonColumn('max-md:hidden'),
    timeColumn('expires_at', 'Expires', 'max-md:hidden'),
    timeColumn('last_used_at', 'Last used', 'max-lg:hidden'),
    timeColumn('created_at', 'Created', 'max-lg:hidden', 'hidden'),
  ],
  useSelection: useOverrideSelection,
  RowActions: ({ row }) => <EntryMenu actions={OVERRIDE_ACTIONS} row={row} />,
};

export const OverridesPage = () => <ResourceList declaration={LIST} />;
