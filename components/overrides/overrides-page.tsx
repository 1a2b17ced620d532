'use client';

import { Pencil, SlidersHorizontal, Trash2 } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { call } from '@/components/call';
import { ConfirmDialog } from '@/components/form/confirm-dialog';
import { formatPace, formatWindow } from '@/components/format/duration';
import { formatNumber } from '@/components/format/number';
import { IdentifierMenuItems } from '@/components/identifier/identifier';
import { useIdentifierActions } from '@/components/identifier/identifier-actions';
import { TARGET_TYPES } from '@/components/identifier/target';
import { CLASS_NAMES, CLASS_OPTIONS } from '@/components/limits/class-names';
import { identifierColumn, reasonColumn, timeColumn } from '@/components/list/common-columns';
import { ResourceList, RowMenu } from '@/components/list/resource-list';
import { type ResourceDeclaration, useResourceList } from '@/components/list/use-resource-list';
import { useMay } from '@/components/shell/member';
import { DropdownMenuItem, DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import { listOverrides, type Override, removeOverride } from '@/lib/contract/overrides';

const OverrideDialog = dynamic(
  () => import('@/components/overrides/override-dialog').then((file) => file.OverrideDialog),
  { ssr: false },
);

const LIST: ResourceDeclaration<Override> = {
  title: 'Overrides',
  description: "Limits for one address, range or user that replace the policy's.",
  needs: 'operator',
  add: 'Add override',
  exported: true,
  noMatch: 'No override matches',
  key: 'overrides',
  contract: listOverrides,
  label: 'Overrides',
  search: { label: 'Search identifier or reason' },
  sortings: ['identifier', 'class', 'limit', 'reason', 'expires_at', 'last_used_at', 'created_at'],
  sort: '-created_at',
  facets: [
    { name: 'class', label: 'Class', options: CLASS_OPTIONS },
    { name: 'type', label: 'Type', options: TARGET_TYPES },
  ],
  tabs: [
    {
      value: 'active',
      label: 'Active',
      query: { status: 'active' },
      empty: {
        icon: SlidersHorizontal,
        title: "Everyone has the policy's limits",
        text: 'Give a partner more room, or slow one address down without blocking it.',
      },
    },
    {
      value: 'expired',
      label: 'Expired',
      query: { status: 'expired' },
      empty: {
        title: 'No override has expired',
        text: "Expired overrides stay here until they are removed; the policy's limits apply again.",
      },
    },
  ],
  refetchInterval: 30_000,
  columns: [
    identifierColumn((override) => CLASS_NAMES[override.class]),
    { id: 'class', header: 'Class', cell: (override) => CLASS_NAMES[override.class], className: 'max-sm:hidden' },
    {
      id: 'limit',
      header: 'Limit',
      cell: ({ limit, window_seconds }) => (
        <span title={formatPace(limit, window_seconds)}>
          <span className="font-medium">{formatNumber(limit)}</span>{' '}
          <span className="text-muted-foreground">in {formatWindow(window_seconds)}</span>
        </span>
      ),
    },
    reasonColumn('max-md:hidden'),
    timeColumn('expires_at', 'Expires', 'max-md:hidden'),
    timeColumn('last_used_at', 'Last used', 'max-lg:hidden'),
    timeColumn('created_at', 'Created', 'max-lg:hidden'),
  ],
  rowId: ({ id }) => id,
};

/** Limits of single identifiers and ranges that replace the policy's. */
export function OverridesPage() {
  const list = useResourceList(LIST);
  const may = useMay('operator');
  const actions = useIdentifierActions();
  const [edited, setEdited] = useState<Override | null>(null);
  const [removed, setRemoved] = useState<Override | null>(null);
  return (
    <>
      <ResourceList
        list={list}
        onAdd={() => actions.override(null)}
        rowActions={(override) => (
          <RowMenu name={override.identifier}>
            <DropdownMenuItem disabled={!may} onSelect={() => setEdited(override)}>
              <Pencil aria-hidden /> Edit…
            </DropdownMenuItem>
            <IdentifierMenuItems target={override} />
            <DropdownMenuSeparator />
            <DropdownMenuItem destructive disabled={!may} onSelect={() => setRemoved(override)}>
              <Trash2 aria-hidden /> Remove…
            </DropdownMenuItem>
          </RowMenu>
        )}
      />
      {edited ? <OverrideDialog initial={null} override={edited} onClose={() => setEdited(null)} /> : null}
      {removed ? (
        <ConfirmDialog
          title={`Remove the override of ${removed.identifier}?`}
          description={`The policy's ${removed.class} limit applies again from the next request.`}
          confirmLabel="Remove"
          confirm={() => {
            const { type, identifier } = removed;
            return call(removeOverride, { body: { type, identifier, class: removed.class } });
          }}
          changes="overrides"
          done={`The policy's limits apply to ${removed.identifier} again`}
          onClose={() => setRemoved(null)}
        />
      ) : null}
    </>
  );
}
