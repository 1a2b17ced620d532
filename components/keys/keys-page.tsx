'use client';

import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { FilterBar } from '@/components/filter-bar/filter-bar';
import { CreateKeyDialog } from '@/components/keys/create-key-dialog';
import { keyColumns } from '@/components/keys/key-columns';
import { type KeyAction, KeyDialogs } from '@/components/keys/key-dialogs';
import { keyState } from '@/components/keys/key-row';
import { keysKey, listKeys } from '@/components/keys/keys-api';
import { TIER_NAMES, TIERS } from '@/components/keys/tiers';
import { DataTable } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import { ExportMenu } from '@/components/list/export-menu';
import type { ExportColumn } from '@/components/list/export-text';
import { useListState } from '@/components/list/list-state';
import { matchRows } from '@/components/list/match-rows';
import { useMay } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import type { ApiKeyWithUsage } from '@/lib/schemas/api-key';

const LIST = { sort: 'name', facets: ['tier', 'state'] } as const;

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
      { value: 'revoked', label: 'Revoked' },
    ],
  },
] as const;

/** Every API key with what it used of its quota. */
export function KeysPage() {
  const state = useListState(LIST);
  const owner = useMay('owner');
  const {
    data: all,
    error,
    refetch,
  } = useQuery({ queryKey: keysKey, queryFn: ({ signal }) => listKeys(signal), refetchInterval: 15_000 });
  const [creating, setCreating] = useState(false);
  const [action, setAction] = useState<KeyAction | null>(null);
  const columns = useMemo(() => keyColumns(setAction), []);
  const rows = useMemo(() => {
    if (!all) return undefined;
    const now = Date.now();
    return matchRows(all, state, {
      text: (row) => [row.name, row.prefix, row.id, row.user_id],
      facet: (row, facet) => (facet === 'tier' ? row.tier : keyState(row, now)),
    });
  }, [all, state]);
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
        actions={create}
      />
      <FilterBar state={state} searchLabel="Search name, prefix or id" facets={FACETS}>
        <ExportMenu name="keys" rows={rows ?? []} columns={EXPORT} />
      </FilterBar>
      <DataTable
        label="API keys"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        state={state}
        error={error}
        onRetry={() => void refetch()}
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
          ) : (
            <EmptyState icon={KeyRound} title="No API keys yet" action={create}>
              A key identifies a client by its <code className="font-mono text-xs">X-API-Key</code> header and gives it
              a monthly quota.
            </EmptyState>
          )
        }
      />
      {creating ? <CreateKeyDialog onClose={() => setCreating(false)} /> : null}
      <KeyDialogs action={action} onClose={() => setAction(null)} />
    </>
  );
}
