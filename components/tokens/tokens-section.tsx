import { KeySquare } from 'lucide-react';
import type { Selection } from '@/components/batch/batch-action';
import { type Selectable, useSelection } from '@/components/batch/use-selection';
import { textColumn, timeColumn } from '@/components/list/common-columns';
import { ResourceList } from '@/components/list/resource-list';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { useRunAction } from '@/components/shell/action';
import { RoleButton } from '@/components/shell/role-button';
import { CreateTokenDialog, TOKEN_ACTIONS } from '@/components/tokens/token-actions';
import { Badge } from '@/components/ui/badge';
import { ROLE_NAMES } from '@/components/vocabulary/roles';
import { type AdminToken, listTokens } from '@/lib/contract/tokens';

const SELECTION: Selection<AdminToken> = {
  nouns: ['token', 'tokens'],
  id: ({ id }) => id,
  name: ({ name }) => name,
  target: ({ id }) => id,
  changes: ['tokens'],
  actions: [
    {
      ...TOKEN_ACTIONS.revoke,
      title: (what) => `Revoke ${what}?`,
      description: 'Calls with these tokens are refused from now on.',
      submitLabel: 'Revoke tokens',
      example: 'The pipelines moved to other tokens',
      done: (what) => `${what} revoked`,
      buildCall: ({ id }, { reason }) => ({ operation: 'revokeToken', item: { id, reason } }),
    },
  ],
};

const useTokenSelection = (list: Selectable<AdminToken>) => useSelection(SELECTION, list);

const LIST: ResourceDeclaration<AdminToken> = {
  needs: 'owner',
  add: { label: 'New token', Dialog: CreateTokenDialog },
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
    textColumn(
      'name',
      'Name',
      'block max-w-56 truncate font-medium max-sm:max-w-none max-sm:whitespace-normal',
      undefined,
      'title',
    ),
    {
      id: 'prefix',
      header: 'Token',
      cell: ({ prefix }) => <span className="font-mono text-xs text-muted-foreground">{prefix}…</span>,
      className: 'max-md:hidden',
    },
    { id: 'role', header: 'Role', cell: ({ role }) => <Badge>{ROLE_NAMES[role]}</Badge>, phone: 'aside' },
    timeColumn('expires_at', 'Expires'),
    timeColumn('last_used_at', 'Last used', 'max-md:hidden'),
    {
      ...textColumn('created_by', 'Created by', 'text-muted-foreground', 'max-lg:hidden w-full'),
      phoneLabel: 'Created by',
    },
  ],
  rowId: ({ id }) => id,
  useSelection: useTokenSelection,
  RowActions,
};

function RowActions({ row }: { row: AdminToken }) {
  const run = useRunAction();
  const { revoke } = TOKEN_ACTIONS;
  return (
    <RoleButton
      needs={revoke.needs}
      variant="ghost"
      size="sm"
      onClick={() => run(revoke, row)}
      aria-label={`Revoke ${row.name}`}
    >
      Revoke
    </RoleButton>
  );
}

export default function TokensSection() {
  return <ResourceList declaration={LIST} />;
}
