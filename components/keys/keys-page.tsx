'use client';

import { KeyRound, Plus } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useMemo, useState } from 'react';
import { FilterBar } from '@/components/filter-bar/filter-bar';
import { keyColumns } from '@/components/keys/key-columns';
import type { KeyAction } from '@/components/keys/key-dialogs';
import { keyState } from '@/components/keys/key-row';
import { KEYS_PATH, keysKey } from '@/components/keys/keys-api';
import { TIER_NAMES, TIERS } from '@/components/keys/tiers';
import { DataTable } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import { ExportMenu } from '@/components/list/export-menu';
import type { ExportColumn } from '@/components/list/export-text';
import { IncompleteNote } from '@/components/list/incomplete-note';
import { useListState } from '@/components/list/list-state';
import { ListTabs, useListTab } from '@/components/list/list-tabs';
import { matchRows } from '@/components/list/match-rows';
import { useListed } from '@/components/list/use-listed';
import { useMay } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { RoleNote } from '@/components/shell/role-note';
import { Button } from '@/components/ui/button';
import { type ApiKeyWithUsage, ApiKeyWithUsageSchema } from '@/lib/schemas/api-key';

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

/** Every API key with what it used of its quota. */
export function KeysPage() {
  const state = useListState(LIST);
  const owner = useMay('owner');
  const [tab, setTab] = useListTab(TABS);
  const { listed, error, refetch } = useListed({
    key: keysKey,
    path: KEYS_PATH,
    schema: SCHEMA,
    query: STATUS[tab],
    search: state.search,
    refetchInterval: 15_000,
  });
  const [creating, setCreating] = useState(false);
  const [action, setAction] = useState<KeyAction | null>(null);
  const columns = useMemo(() => keyColumns(setAction), []);
  const rows = useMemo(() => {
    if (!listed) return undefined;
    const now = Date.now();
    return matchRows(listed.rows, state, {
      text: (row) => [row.name, row.prefix, row.id, row.user_id],
      facet: (row, facet) => (facet === 'tier' ? row.tier : keyState(row, now)),
    });
  }, [listed, state]);
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
      <FilterBar state={state} searchLabel="Search name, prefix or id" facets={FACETS}>
        <ExportMenu name="keys" rows={rows ?? []} columns={EXPORT} />
      </FilterBar>
      {listed?.complete === false ? <IncompleteNote shown={listed.rows.length} /> : null}
      <DataTable
        label="API keys"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        state={state}
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
