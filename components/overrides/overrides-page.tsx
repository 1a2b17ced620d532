'use client';

import { useQueryClient } from '@tanstack/react-query';
import { Plus, SlidersHorizontal } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useMemo, useState } from 'react';
import { toast } from 'sonner';
import { ConfirmDialog } from '@/components/form/confirm-dialog';
import { useIdentifierActions } from '@/components/identifier/identifier-actions';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { DataTable } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import { ListExport } from '@/components/list/export-menu';
import type { ExportColumn } from '@/components/list/export-text';
import { FilterBar } from '@/components/list/filter-bar';
import { useListState } from '@/components/list/list-state';
import { ListTabs, useListTab } from '@/components/list/list-tabs';
import { matchRows } from '@/components/list/match-rows';
import { useListed } from '@/components/list/use-resource-list';
import { overrideColumns } from '@/components/overrides/override-columns';
import { deleteOverride, OVERRIDES_PATH, overridesKey } from '@/components/overrides/overrides-api';
import { useMay } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { RoleNote } from '@/components/shell/role-note';
import { Button } from '@/components/ui/button';
import { type Override, OverrideSchema } from '@/lib/contract/overrides';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

const OverrideDialog = dynamic(
  () => import('@/components/overrides/override-dialog').then((file) => file.OverrideDialog),
  { ssr: false },
);

const TABS = ['active', 'expired'] as const;
const STATUS = { active: { status: 'active' }, expired: { status: 'expired' } };
const LIST = { sort: '-created_at', facets: ['class', 'type'] } as const;
/** What the server does for a list that is too long for the browser. */
const SERVER = {
  sorts: ['identifier', 'class', 'limit', 'reason', 'expires_at', 'last_used_at', 'created_at'],
  query: (facets: Record<'class' | 'type', readonly string[]>) => ({ class: facets.class[0], type: facets.type[0] }),
};
const SCHEMA = OverrideSchema.array();

const EXPORT: readonly ExportColumn<Override>[] = (
  [
    'type',
    'identifier',
    'class',
    'limit',
    'window_seconds',
    'reason',
    'expires_at',
    'last_used_at',
    'created_at',
    'created_by',
  ] as const
).map((name) => ({ name, value: (row) => row[name] }));

const FACETS = [
  { name: 'class', label: 'Class', options: ENDPOINT_CLASSES.map((value) => ({ value, label: CLASS_NAMES[value] })) },
  {
    name: 'type',
    label: 'Type',
    options: [
      { value: 'ip', label: 'IP or range' },
      { value: 'user_id', label: 'User' },
    ],
  },
] as const;

const SERVED_FACETS = FACETS.map((facet) => ({ ...facet, single: true }));

/** Own limits of single identifiers and ranges. */
export function OverridesPage() {
  const queries = useQueryClient();
  const state = useListState(LIST);
  const may = useMay('operator');
  const actions = useIdentifierActions();
  const [tab, setTab] = useListTab(TABS);
  const [edited, setEdited] = useState<Override | null>(null);
  const [removed, setRemoved] = useState<Override | null>(null);
  const { listed, served, error, refetch } = useListed({
    key: overridesKey,
    path: OVERRIDES_PATH,
    schema: SCHEMA,
    query: STATUS[tab],
    search: state.search,
    server: { state, ...SERVER },
    refetchInterval: 30_000,
  });
  const rows = useMemo(
    () =>
      served
        ? listed?.rows
        : listed &&
          matchRows(listed.rows, state, {
            text: (row) => [row.identifier, row.reason, row.created_by],
            facet: (row, facet) => row[facet],
          }),
    [listed, served, state],
  );
  const columns = useMemo(() => overrideColumns({ may, onEdit: setEdited, onRemove: setRemoved }), [may]);
  const add = (
    <Button onClick={() => actions.override(null)} disabled={!may}>
      <Plus aria-hidden /> Own limit
    </Button>
  );
  const remove = async (override: Override) => {
    await deleteOverride(override);
    await queries.invalidateQueries({ queryKey: overridesKey });
    toast.success(`${override.identifier} is under the policy again`);
  };
  return (
    <>
      <PageHeader
        title="Overrides"
        description="Own limits for one address, range or user, in the place of the policy's."
        actions={
          <>
            <RoleNote needs="operator" />
            {add}
          </>
        }
      />
      <ListTabs
        label="Overrides"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'active', label: 'Active' },
          { value: 'expired', label: 'Expired' },
        ]}
      />
      <FilterBar state={state} searchLabel="Search identifier or reason" facets={served ? SERVED_FACETS : FACETS}>
        <ListExport served={served} name="overrides" rows={rows ?? []} columns={EXPORT} />
      </FilterBar>
      <DataTable
        label="Overrides"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        state={state}
        served={served}
        error={error}
        onRetry={refetch}
        empty={
          state.filtered ? (
            <EmptyState
              title="No override matches"
              action={
                <Button variant="outline" onClick={state.clear}>
                  Clear filters
                </Button>
              }
            />
          ) : tab === 'expired' ? (
            <EmptyState title="No own limit has expired">
              They stay here after their expiry, with the policy's limits in force again, until someone removes them.
            </EmptyState>
          ) : (
            <EmptyState icon={SlidersHorizontal} title="Everyone has the policy's limits" action={add}>
              Give a partner more room, or slow one address down without blocking it.
            </EmptyState>
          )
        }
      />
      {edited ? <OverrideDialog initial={null} override={edited} onClose={() => setEdited(null)} /> : null}
      {removed ? (
        <ConfirmDialog
          open
          onOpenChange={() => setRemoved(null)}
          title={`Remove the own limit of ${removed.identifier}?`}
          description={`The policy's ${removed.class} limit holds again from the next request on.`}
          confirmLabel="Remove"
          onConfirm={() => remove(removed)}
        />
      ) : null}
    </>
  );
}
