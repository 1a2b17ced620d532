'use client';

import { useQueryClient } from '@tanstack/react-query';
import { KeySquare, Plus } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useMemo, useState } from 'react';
import { toast } from 'sonner';
import { callApi } from '@/components/api-client';
import { ConfirmDialog } from '@/components/form/confirm-dialog';
import { DataTable } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import { FilterBar } from '@/components/list/filter-bar';
import { useListState } from '@/components/list/list-state';
import { matchRows } from '@/components/list/match-rows';
import { useListed } from '@/components/list/use-resource-list';
import { useMay } from '@/components/shell/member';
import { tokenColumns } from '@/components/tokens/token-columns';
import { TOKENS_PATH, tokensKey } from '@/components/tokens/tokens-api';
import { Button } from '@/components/ui/button';
import { type AdminToken, AdminTokenSchema } from '@/lib/contract/tokens';

const CreateTokenDialog = dynamic(
  () => import('@/components/tokens/create-token-dialog').then((file) => file.CreateTokenDialog),
  { ssr: false },
);

const LIST = { sort: 'name', facets: ['role'] } as const;
const SCHEMA = AdminTokenSchema.array();
const ROLES = ['viewer', 'operator', 'owner', 'gateway'].map((value) => ({
  value,
  label: value.charAt(0).toUpperCase() + value.slice(1),
}));

/** Credentials of automation for the admin API and the decision API. */
export function TokensSection() {
  const queries = useQueryClient();
  const owner = useMay('owner');
  const state = useListState(LIST);
  const [creating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<AdminToken | null>(null);
  const { listed, error, refetch } = useListed({ key: tokensKey, path: TOKENS_PATH, schema: SCHEMA, search: '' });
  const rows = useMemo(
    () =>
      listed &&
      matchRows(listed.rows, state, {
        text: (row) => [row.name, row.prefix, row.created_by],
        facet: (row) => row.role,
      }),
    [listed, state],
  );
  const columns = useMemo(() => tokenColumns({ owner, onRevoke: setRevoked }), [owner]);
  const create = (
    <Button onClick={() => setCreating(true)} disabled={!owner}>
      <Plus aria-hidden /> New token
    </Button>
  );
  const revoke = async (token: AdminToken) => {
    await callApi(`${TOKENS_PATH}/${token.id}`, { method: 'DELETE' });
    await queries.invalidateQueries({ queryKey: tokensKey });
    toast.success(`${token.name} is revoked`);
  };
  return (
    <>
      <FilterBar
        state={state}
        searchLabel="Search name or prefix"
        facets={[{ name: 'role', label: 'Role', options: ROLES }]}
      >
        {create}
      </FilterBar>
      <DataTable
        label="Admin tokens"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        state={state}
        error={error}
        onRetry={refetch}
        empty={
          state.filtered ? (
            <EmptyState
              title="No token matches"
              action={
                <Button variant="outline" onClick={state.clear}>
                  Clear filters
                </Button>
              }
            />
          ) : (
            <EmptyState icon={KeySquare} title="No admin tokens yet" action={create}>
              Automation and gateways call the API with a token of their own, with a role and an expiry.
            </EmptyState>
          )
        }
      />
      {creating ? <CreateTokenDialog onClose={() => setCreating(false)} /> : null}
      {revoked ? (
        <ConfirmDialog
          open
          onOpenChange={() => setRevoked(null)}
          title={`Revoke ${revoked.name}?`}
          description="Calls with this token are refused from the next one on."
          confirmLabel="Revoke token"
          onConfirm={() => revoke(revoked)}
        />
      ) : null}
    </>
  );
}
