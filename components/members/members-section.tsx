import type { Selection } from '@/components/batch/batch-action';
import { removeAction } from '@/components/batch/common-actions';
import { type Selectable, useSelection } from '@/components/batch/use-selection';
import { HistoryMenuItem } from '@/components/links/history-link';
import { ResourceList } from '@/components/list/resource-list';
import { RowMenu } from '@/components/list/row-menu';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { InviteDialog, MEMBER_ACTIONS } from '@/components/members/member-actions';
import { MemberState } from '@/components/members/member-state';
import { RoleSelect } from '@/components/members/role-select';
import { SecondFactorRule } from '@/components/members/second-factor-rule';
import { ActionItems } from '@/components/shell/action';
import { useMember, useProviders } from '@/components/shell/member';
import { Badge } from '@/components/ui/badge';
import { ROLE_OPTIONS } from '@/components/vocabulary/roles';
import { listMembers, type Member, REMOVAL_KEPT_MINUTES } from '@/lib/contract/members';

const SELECTION: Selection<Member> = {
  nouns: ['member', 'members'],
  id: ({ id }) => id,
  name: ({ email }) => email,
  target: ({ id }) => id,
  changes: ['members'],
  actions: [
    removeAction({
      needs: 'owner',
      description:
        'Their sessions and their invitations end at once. Their changes stay in the audit log, and the tokens that they created keep working.',
      submitLabel: 'Remove members',
      example: 'Left the team',
      afterwards: `For ${REMOVAL_KEPT_MINUTES} minutes each can be undone in the audit log.`,
      canUndo: true,
      buildCall: ({ id }, { reason }) => ({ operation: 'removeMember', item: { id, reason } }),
    }),
  ],
};

/** Excludes the signed-in member, so that a batch never removes them. */
function useMemberSelection(list: Selectable<Member>) {
  const self = useMember();
  return useSelection({ ...SELECTION, canSelect: ({ id }) => id !== self.id }, list);
}

const LIST: ResourceDeclaration<Member> = {
  needs: 'owner',
  add: { label: 'Invite member', Dialog: InviteDialog },
  noMatch: 'No member matches',
  key: 'members',
  contract: listMembers,
  label: 'Members',
  search: { label: 'Search name or e-mail' },
  sortings: ['email', 'role', 'last_sign_in_at'],
  sort: 'email',
  facets: [{ name: 'role', label: 'Role', options: ROLE_OPTIONS }],
  columns: [
    { id: 'email', header: 'Member', cell: (member) => <Name {...member} />, className: 'w-full', phone: 'title' },
    { id: 'last_sign_in_at', header: 'Sign-in', cell: (member) => <MemberState member={member} />, phone: 'detail' },
    { id: 'role', header: 'Role', cell: (member) => <RoleSelect member={member} />, phone: 'aside' },
  ],
  rowId: ({ id }) => id,
  useSelection: useMemberSelection,
  RowActions: ({ row }) => (
    <RowMenu name={row.email}>
      <HistoryMenuItem target={row.id} />
      <ActionItems actions={MEMBER_ACTIONS} row={row} />
    </RowMenu>
  ),
};

function Name({ id, name, email }: Member) {
  const self = useMember();
  return (
    <div className="max-w-72 py-1 max-sm:max-w-none max-sm:py-0">
      <p className="flex items-center gap-2 font-medium max-sm:flex-wrap">
        <span className="truncate max-sm:whitespace-normal" title={name ?? email}>
          {name ?? email}
        </span>
        {id === self.id ? <Badge variant="outline">you</Badge> : null}
      </p>
      {name ? <p className="truncate text-xs text-muted-foreground max-sm:whitespace-normal">{email}</p> : null}
    </div>
  );
}

export default function MembersSection() {
  const providers = useProviders();
  return (
    <>
      <p className="text-sm text-muted-foreground">
        {providers.length > 0
          ? `People sign in with a password or with ${providers.join(', ')}.`
          : 'People sign in with e-mail and password.'}
      </p>
      <SecondFactorRule />
      <ResourceList declaration={LIST} />
    </>
  );
}
