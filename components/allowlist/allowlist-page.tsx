'use client';

import { Plus, ShieldCheck } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useMemo, useState } from 'react';
import { ALLOWLIST_PATH, allowlistKey } from '@/components/allowlist/allowlist-api';
import { allowlistColumns } from '@/components/allowlist/allowlist-columns';
import { useRemoveWithUndo } from '@/components/allowlist/remove-with-undo';
import { countOf } from '@/components/format/number';
import { useIdentifierActions } from '@/components/identifier/identifier-actions';
import { DataTable } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import { ListExport } from '@/components/list/export-menu';
import type { ExportColumn } from '@/components/list/export-text';
import { FilterBar } from '@/components/list/filter-bar';
import { useListState } from '@/components/list/list-state';
import { ListTabs, useListTab } from '@/components/list/list-tabs';
import { matchRows } from '@/components/list/match-rows';
import { useListed } from '@/components/list/use-resource-list';
import { useMay } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { RoleNote } from '@/components/shell/role-note';
import { Button } from '@/components/ui/button';
import { type AllowlistEntry, AllowlistEntrySchema } from '@/lib/contract/allowlist';

const AllowlistDialog = dynamic(
  () => import('@/components/allowlist/allowlist-dialog').then((file) => file.AllowlistDialog),
  { ssr: false },
);

const LIST = { sort: '-created_at', facets: ['type', 'expiry'] } as const;

const TABS = ['active', 'expired'] as const;
const STATUS = { active: { status: 'active' }, expired: { status: 'expired' } };
/** What the server does for a list that is too long for the browser. */
const SERVER = {
  sorts: ['identifier', 'type', 'reason', 'expires_at', 'created_by', 'created_at'],
  query: ({ type, expiry }: Record<'type' | 'expiry', readonly string[]>) => ({ type: type[0], expiry: expiry[0] }),
};
const SCHEMA = AllowlistEntrySchema.array();

const EXPORT: readonly ExportColumn<AllowlistEntry>[] = (
  ['id', 'type', 'identifier', 'reason', 'expires_at', 'created_at', 'created_by'] as const
).map((name) => ({ name, value: (row) => row[name] }));

const READ = {
  text: (row: AllowlistEntry) => [row.identifier, row.reason, row.created_by],
  facet: (row: AllowlistEntry, facet: 'type' | 'expiry') =>
    facet === 'type' ? row.type : row.expires_at === null ? 'never' : 'set',
};

/** Who bypasses rate limiting, until when and why. */
export function AllowlistPage() {
  const state = useListState(LIST);
  const may = useMay('operator');
  const remove = useRemoveWithUndo();
  const actions = useIdentifierActions();
  const [edited, setEdited] = useState<AllowlistEntry | null>(null);
  const [tab, setTab] = useListTab(TABS);
  const { listed, served, error, refetch } = useListed({
    key: allowlistKey,
    path: ALLOWLIST_PATH,
    schema: SCHEMA,
    query: STATUS[tab],
    search: state.search,
    server: { state, ...SERVER },
    refetchInterval: 30_000,
  });
  const rows = useMemo(
    () => (served ? listed?.rows : listed && matchRows(listed.rows, state, READ)),
    [listed, served, state],
  );
  const columns = useMemo(
    () => allowlistColumns({ may, onEdit: setEdited, onRemove: (entry) => void remove(entry) }),
    [may, remove],
  );
  const add = (
    <Button onClick={() => actions.allowlist(null)} disabled={!may}>
      <Plus aria-hidden /> Add entry
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Allowlist"
        description="Addresses and users that bypass rate limiting while their entry is active."
        actions={
          <>
            <RoleNote needs="operator" />
            {add}
          </>
        }
      />
      <ListTabs
        label="Entries"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'active', label: 'Active' },
          { value: 'expired', label: 'Expired' },
        ]}
      />
      <FilterBar
        state={state}
        searchLabel="Search identifier or reason"
        facets={[
          {
            name: 'type',
            single: served !== null,
            label: 'Type',
            options: [
              { value: 'ip', label: 'IP or range' },
              { value: 'user_id', label: 'User' },
            ],
          },
          {
            name: 'expiry',
            single: served !== null,
            label: 'Expiry',
            options: [
              { value: 'set', label: 'Expires' },
              { value: 'never', label: 'Never expires' },
            ],
          },
        ]}
      >
        <ListExport served={served} name="allowlist" rows={rows ?? []} columns={EXPORT} />
      </FilterBar>
      <DataTable
        label="Allowlist entries"
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
              title="No entry matches"
              action={
                <Button variant="outline" onClick={state.clear}>
                  Clear filters
                </Button>
              }
            >
              There are {countOf(listed?.rows.length ?? 0, 'entry', 'entries')} without these filters.
            </EmptyState>
          ) : tab === 'expired' ? (
            <EmptyState title="No entry has expired">
              Entries stay here after their expiry until someone removes them.
            </EmptyState>
          ) : (
            <EmptyState icon={ShieldCheck} title="Everybody is limited" action={add}>
              Add an address, a range or a user that must never be refused, such as a health check or a partner.
            </EmptyState>
          )
        }
      />
      {edited ? <AllowlistDialog initial={null} entry={edited} onClose={() => setEdited(null)} /> : null}
    </>
  );
}
