import { KeySquare } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { call } from '@/components/call';
import { ConfirmDialog } from '@/components/form/confirm-dialog';
import { timeColumn } from '@/components/list/common-columns';
import { ResourceList } from '@/components/list/resource-list';
import { type ResourceDeclaration, useResourceList } from '@/components/list/use-resource-list';
import { ROLE_NAMES } from '@/components/members/roles';
import { useMay } from '@/components/shell/member';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { type AdminToken, listTokens, revokeToken } from '@/lib/contract/tokens';

const CreateTokenDialog = dynamic(
  () => import('@/components/tokens/create-token-dialog').then((file) => file.CreateTokenDialog),
  { ssr: false },
);

const LIST: ResourceDeclaration<AdminToken> = {
  needs: 'owner',
  add: 'New token',
  noMatch: 'No token matches',
  empty: {
    icon: KeySquare,
    title: 'No admin tokens yet',
    text: 'Automation and gateways call the API with their own token, which has a role and an expiry.',
  },
  key: 'tokens',
  contract: listTokens,
  label: 'Admin tokens',
  search: { label: 'Search name or prefix' },
  sortings: ['name', 'role', 'expires_at', 'last_used_at', 'created_by'],
  sort: 'name',
  facets: [
    { name: 'role', label: 'Role', options: Object.entries(ROLE_NAMES).map(([value, label]) => ({ value, label })) },
  ],
  columns: [
    {
      id: 'name',
      header: 'Name',
      cell: ({ name }) => <span className="block max-w-56 truncate font-medium max-sm:max-w-36">{name}</span>,
    },
    {
      id: 'prefix',
      header: 'Token',
      cell: ({ prefix }) => <span className="font-mono text-xs text-muted-foreground">{prefix}…</span>,
      className: 'max-md:hidden',
    },
    { id: 'role', header: 'Role', cell: ({ role }) => <Badge>{ROLE_NAMES[role]}</Badge> },
    timeColumn('expires_at', 'Expires', 'max-sm:hidden'),
    timeColumn('last_used_at', 'Last used', 'max-md:hidden'),
    {
      id: 'created_by',
      header: 'Created by',
      cell: ({ created_by }) => <span className="text-muted-foreground">{created_by}</span>,
      className: 'max-lg:hidden w-full',
    },
  ],
  rowId: ({ id }) => id,
};

/** Credentials of automation for the admin API and the decision API. */
export function TokensSection() {
  const list = useResourceList(LIST);
  const owner = useMay('owner');
  const [creating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<AdminToken | null>(null);
  return (
    <>
      <ResourceList
        list={list}
        onAdd={() => setCreating(true)}
        rowActions={(token) => (
          <Button
            variant="ghost"
            size="sm"
            disabled={!owner}
            onClick={() => setRevoked(token)}
            aria-label={`Revoke ${token.name}`}
          >
            Revoke
          </Button>
        )}
      />
      {creating ? <CreateTokenDialog onClose={() => setCreating(false)} /> : null}
      {revoked ? (
        <ConfirmDialog
          title={`Revoke ${revoked.name}?`}
          description="Calls with this token are refused from the next one on."
          confirmLabel="Revoke token"
          confirm={() => call(revokeToken, { params: { id: revoked.id } })}
          changes="tokens"
          done={`${revoked.name} is revoked`}
          onClose={() => setRevoked(null)}
        />
      ) : null}
    </>
  );
}
