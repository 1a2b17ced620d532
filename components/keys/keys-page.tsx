'use client';

import { KeyRound, Plus } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useMemo, useState } from 'react';
import { keyColumns } from '@/components/keys/key-columns';
import type { KeyAction } from '@/components/keys/key-dialogs';
import { keyState } from '@/components/keys/key-state';
import { KEYS_PATH, keysKey } from '@/components/keys/keys-api';
import { TIER_NAMES, TIERS } from '@/components/keys/tiers';
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
import { type ApiKeyWithUsage, ApiKeyWithUsageSchema } from '@/lib/contract/keys';

const CreateKeyDialog = dynamic(
  () => import('@/components/keys/create-key-dialog').then((file) => file.CreateKeyDialog),
  { ssr: false },
);
const KeyDialogs = dynamic(() => import('@/components/keys/key-dialogs').then((file) => file.KeyDialogs), {
  ssr: false,
});

const LIST = { sort: 'name', facets: ['tier', 'state'] } as const;

const TABS = ['registered', 'revoked'] as const;
const STATUS = { registered: { status: 'registered' }, revoked: { status: 'revoked' } };
/** What the server does for a list that is too long for the browser. */
const SERVER = {
  sorts: ['name', 'prefix', 'tier', 'last_used_at'],
  query: ({ tier, state }: Record<'tier' | 'state', readonly string[]>) => ({
    tier: tier[0],
    ...(state[0] === undefined ? {} : { status: state[0] }),
  }),
};
const SCHEMA = ApiKeyWithUsageSchema.array();

const EXPORT: readonly ExportColumn<ApiKeyWithUsage>[] = [
  { name: 'id', value: (row) => row.id },
  { name: 'name', value: (row) => row.name },
  { name: 'prefix', value: (row) => row.prefix },
  { name: 'tier', value: (row) => row.tier },
  { name: 'usage', value: (row) => row.usage },
  { name: 'limit', value: (row) => row.limit },
  { name: 'remaining', value: (row) => row.remaining },
  { name: 'reset_at', value: (row) => row.reset_at },
  { name: 'last_used_at', value: (row) => row.last_used_at },
  { name: 'created_at', value: (row) => row.created_at },
];

const FACETS = [
  { name: 'tier', label: 'Tier', options: TIERS.map((value) => ({ value, label: TIER_NAMES[value] })) },
  {
    name: 'state',
    label: 'State',
    options: [
      { value: 'active', label: 'Below 80 %' },
      { value: 'near', label: '80 % and more' },
      { value: 'used up', label: 'Used up' },
      { value: 'expired', label: 'Expired' },
    ],
  },
] as const;

/** The server knows no usage: it lives in the counters. */
const SERVED_FACETS = [
  { ...FACETS[0], single: true },
  {
    name: 'state',
    label: 'State',
    single: true,
    options: [
      { value: 'active', label: 'Not expired' },
      { value: 'expired', label: 'Expired' },
    ],
  },
] as const;

/** Every API key with what it used of its quota. */
export function KeysPage() {
  const state = useListState(LIST);
  const owner = useMay('owner');
  const [tab, setTab] = useListTab(TABS);
  const { listed, served, error, refetch } = useListed({
    key: keysKey,
    path: KEYS_PATH,
    schema: SCHEMA,
    query: STATUS[tab],
    search: state.search,
    server: { state, ...SERVER },
    refetchInterval: 15_000,
  });
  const [creating, setCreating] = useState(false);
  const [action, setAction] = useState<KeyAction | null>(null);
  const columns = useMemo(() => keyColumns(setAction), []);
  const rows = useMemo(() => {
    if (!listed || served) return listed?.rows;
    const now = Date.now();
    return matchRows(listed.rows, state, {
      text: (row) => [row.name, row.prefix, row.id, row.user_id],
      facet: (row, facet) => (facet === 'tier' ? row.tier : keyState(row, now)),
    });
  }, [listed, served, state]);
  const create = (
    <Button onClick={() => setCreating(true)} disabled={!owner}>
      <Plus aria-hidden /> New key
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Keys & quotas"
        description="API keys and what each has used of its monthly quota."
        actions={
          <>
            <RoleNote needs="owner" />
            {create}
          </>
        }
      />
      <ListTabs
        label="Keys"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'registered', label: 'In use' },
          { value: 'revoked', label: 'Revoked' },
        ]}
      />
      <FilterBar state={state} searchLabel="Search name, prefix or id" facets={served ? SERVED_FACETS : FACETS}>
        <ListExport served={served} name="keys" rows={rows ?? []} columns={EXPORT} />
      </FilterBar>
      <DataTable
        label="API keys"
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
              title="No key matches"
              action={
                <Button variant="outline" onClick={state.clear}>
                  Clear filters
                </Button>
              }
            />
          ) : tab === 'revoked' ? (
            <EmptyState title="No key was revoked" />
          ) : (
            <EmptyState icon={KeyRound} title="No API keys yet" action={create}>
              A key identifies a client by its <code className="font-mono text-xs">X-API-Key</code> header and gives it
              a monthly quota.
            </EmptyState>
          )
        }
      />
      {creating ? <CreateKeyDialog onClose={() => setCreating(false)} /> : null}
      {action ? <KeyDialogs action={action} onClose={() => setAction(null)} /> : null}
    </>
  );
}
