import { useQueryClient } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { call } from '@/components/call';
import { toastError } from '@/components/explain-error';
import { useConfirm } from '@/components/form/confirm-dialog';
import { timeColumn } from '@/components/list/common-columns';
import { ResourceList } from '@/components/list/resource-list';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { ROLE_OPTIONS } from '@/components/members/roles';
import { useMay, useMember } from '@/components/shell/member';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { NativeSelect } from '@/components/ui/native-select';
import { toast } from '@/components/ui/toast';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { listMembers, type Member, removeMember, updateMember } from '@/lib/contract/members';

const InviteDialog = dynamic(() => import('@/components/members/invite-dialog'), { ssr: false });

const LIST: ResourceDeclaration<Member> = {
  needs: 'owner',
  add: { label: 'Add member', Dialog: InviteDialog },
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
    { id: 'role', header: 'Role', cell: (member) => <Role {...member} />, phone: 'aside' },
    timeColumn('last_sign_in_at', 'Last sign-in', 'max-md:hidden'),
  ],
  rowId: ({ id }) => id,
  RowActions,
};

function Name({ id, name, email }: Member) {
  const self = useMember();
  return (
    <div className="max-w-72 py-1 max-sm:max-w-none max-sm:py-0">
      <p className="flex items-center gap-2 font-medium">
        <span className="truncate max-sm:whitespace-normal">{name ?? email}</span>
        {id === self.id ? <Badge variant="outline">you</Badge> : null}
      </p>
      {name ? <p className="truncate text-xs text-muted-foreground max-sm:whitespace-normal">{email}</p> : null}
    </div>
  );
}

function Role({ id, email, role }: Member) {
  const queries = useQueryClient();
  const owner = useMay('owner');
  const change = async (name: string) => {
    try {
      const next = MemberRoleSchema.parse(name);
      await call(updateMember, { params: { id }, body: { role: next } });
      toast.success(`${email} is ${next} now`);
    } catch (error) {
      toastError(error);
    }
    await queries.invalidateQueries({ queryKey: ['members'] });
  };
  return (
    <NativeSelect
      aria-label={`Role of ${email}`}
      className="w-28 max-sm:w-24"
      value={role}
      disabled={!owner}
      onChange={(event) => void change(event.target.value)}
      options={ROLE_OPTIONS}
    />
  );
}

function RowActions({ row: { id, email, provider_accounts: accounts } }: { row: Member }) {
  const owner = useMay('owner');
  const confirm = useConfirm('members');
  const unbind = {
    title: `Unbind the provider account of ${email}?`,
    description: `${accounts.map(({ issuer, subject }) => `They sign in with ${subject} at ${issuer}.`).join(' ')} Their sessions end at once. The next provider account with this verified e-mail address is bound instead.`,
    confirmLabel: 'Unbind account',
    confirm: () => call(updateMember, { params: { id }, body: { provider_accounts: [] } }),
    done: `${email} can sign in with another provider account`,
  };
  const remove = {
    title: `Remove ${email}?`,
    description: 'Their sessions end at once. Their changes stay in the audit log.',
    confirmLabel: 'Remove member',
    confirm: () => call(removeMember, { params: { id } }),
    done: `${email} was removed`,
  };
  const button = { variant: 'ghost', size: 'sm', disabled: !owner } as const;
  return (
    <div className="flex justify-end max-sm:flex-col">
      {accounts.length > 0 ? (
        <Button {...button} onClick={() => confirm(unbind)} aria-label={`Unbind the provider account of ${email}`}>
          Unbind
        </Button>
      ) : null}
      <Button {...button} onClick={() => confirm(remove)} aria-label={`Remove ${email}`}>
        Remove
      </Button>
    </div>
  );
}

export default function MembersSection({ providers }: { providers: readonly string[] }) {
  return (
    <>
      <p className="text-sm text-muted-foreground">
        {providers.length > 0
          ? `People sign in with a password or with ${providers.join(', ')}.`
          : 'People sign in with e-mail and password.'}
      </p>
      <ResourceList declaration={LIST} />
    </>
  );
}
