'use client';

import { Pencil, Plus, SlidersHorizontal, Trash2 } from 'lucide-react';
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
import { actionsColumn, identifierColumn, reasonColumn, timeColumn } from '@/components/list/common-columns';
import type { Column } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import { ExportMenu } from '@/components/list/export-menu';
import { ResourceList } from '@/components/list/resource-list';
import { type ListDefinition, useResourceList } from '@/components/list/use-resource-list';
import { useMay } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import { DropdownMenuItem, DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import { listOverrides, type Override, removeOverride } from '@/lib/contract/overrides';

const OverrideDialog = dynamic(
  () => import('@/components/overrides/override-dialog').then((file) => file.OverrideDialog),
  { ssr: false },
);

const LIST: ListDefinition<Override> = {
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
    { value: 'active', label: 'Active', query: { status: 'active' } },
    { value: 'expired', label: 'Expired', query: { status: 'expired' } },
  ],
  refetchInterval: 30_000,
};

const COLUMNS: readonly Column<Override>[] = [
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
];

/** Limits of single identifiers and ranges in the place of the policy's. */
export function OverridesPage() {
  const list = useResourceList(LIST);
  const may = useMay('operator');
  const actions = useIdentifierActions();
  const [edited, setEdited] = useState<Override | null>(null);
  const [removed, setRemoved] = useState<Override | null>(null);
  const add = (
    <Button onClick={() => actions.override(null)} disabled={!may}>
      <Plus aria-hidden /> Add override
    </Button>
  );
  const menu = actionsColumn<Override>(
    ({ identifier }) => identifier,
    (override) => (
      <>
        <DropdownMenuItem disabled={!may} onSelect={() => setEdited(override)}>
          <Pencil aria-hidden /> Edit…
        </DropdownMenuItem>
        <IdentifierMenuItems target={override} />
        <DropdownMenuSeparator />
        <DropdownMenuItem destructive disabled={!may} onSelect={() => setRemoved(override)}>
          <Trash2 aria-hidden /> Remove…
        </DropdownMenuItem>
      </>
    ),
  );
  return (
    <>
      <PageHeader
        title="Overrides"
        description="Limits for one address, range or user that replace the policy's."
        needs="operator"
        actions={add}
      />
      <ResourceList
        list={list}
        columns={[...COLUMNS, menu]}
        rowId={({ id }) => id}
        noMatch="No override matches"
        empty={
          list.tab === 'expired' ? (
            <EmptyState title="No override has expired">
              Expired overrides stay here until they are removed; the policy's limits apply again.
            </EmptyState>
          ) : (
            <EmptyState icon={SlidersHorizontal} title="Everyone has the policy's limits" action={add}>
              Give a partner more room, or slow one address down without blocking it.
            </EmptyState>
          )
        }
      >
        <ExportMenu href={list.download} />
      </ResourceList>
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
