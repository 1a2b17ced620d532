'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useMemo, useState } from 'react';
import { toast } from 'sonner';
import { callApi } from '@/components/api-client';
import { explainError } from '@/components/explain-error';
import { ConfirmDialog } from '@/components/form/confirm-dialog';
import { DataTable } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import { useListState } from '@/components/list/list-state';
import { memberColumns } from '@/components/members/member-columns';
import { MEMBERS_PATH, membersKey } from '@/components/members/members-api';
import { useMay, useMember } from '@/components/shell/member';
import { Button } from '@/components/ui/button';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import { type Member, MemberSchema } from '@/lib/contract/members';

const InviteDialog = dynamic(() => import('@/components/members/invite-dialog').then((file) => file.InviteDialog), {
  ssr: false,
});

const LIST = { sort: 'email', facets: [] } as const;
const SCHEMA = MemberSchema.array();

function accountsOf({ provider_accounts }: Member): string {
  return provider_accounts.map(({ issuer, subject }) => `They sign in with ${subject} at ${issuer}.`).join(' ');
}

/** The people who may come in, and what they may do. */
export function MembersSection({ providers }: { providers: readonly string[] }) {
  const queries = useQueryClient();
  const owner = useMay('owner');
  const self = useMember();
  const state = useListState(LIST);
  const [inviting, setInviting] = useState(false);
  const [removed, setRemoved] = useState<Member | null>(null);
  const [unbound, setUnbound] = useState<Member | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: membersKey,
    queryFn: async ({ signal }) => (await callApi(MEMBERS_PATH, { schema: SCHEMA, signal })).value,
  });
  const columns = useMemo(() => {
    const changeRole = async (member: Member, role: MemberRole) => {
      try {
        await callApi(`${MEMBERS_PATH}/${member.id}`, { method: 'PATCH', body: { role } });
        toast.success(`${member.email} is ${role} now`);
      } catch (fault) {
        const { title, text } = explainError(fault);
        toast.error(title, { description: text });
      }
      await queries.invalidateQueries({ queryKey: membersKey });
    };
    return memberColumns({
      owner,
      selfId: self.id,
      onRole: (member, role) => void changeRole(member, role),
      onUnbind: setUnbound,
      onRemove: setRemoved,
    });
  }, [owner, self.id, queries]);
  const remove = async (member: Member) => {
    await callApi(`${MEMBERS_PATH}/${member.id}`, { method: 'DELETE' });
    await queries.invalidateQueries({ queryKey: membersKey });
    toast.success(`${member.email} was removed`);
  };
  const unbind = async (member: Member) => {
    await callApi(`${MEMBERS_PATH}/${member.id}`, { method: 'PATCH', body: { provider_accounts: [] } });
    await queries.invalidateQueries({ queryKey: membersKey });
    toast.success(`${member.email} can sign in with another provider account`);
  };
  return (
    <>
      <div className="flex items-center justify-between gap-4">
        <p className="text-sm text-muted-foreground">
          {providers.length > 0
            ? `People sign in with a password or with ${providers.join(', ')}.`
            : 'People sign in with e-mail and password.'}
        </p>
        <Button onClick={() => setInviting(true)} disabled={!owner}>
          <Plus aria-hidden /> Add member
        </Button>
      </div>
      <DataTable
        label="Members"
        columns={columns}
        rows={data}
        rowId={(row) => row.id}
        state={state}
        error={error}
        onRetry={() => void refetch()}
        empty={<EmptyState title="No members" />}
      />
      {inviting ? <InviteDialog onClose={() => setInviting(false)} /> : null}
      {unbound ? (
        <ConfirmDialog
          open
          onOpenChange={() => setUnbound(null)}
          title={`Unbind the provider account of ${unbound.email}?`}
          description={`${accountsOf(unbound)} Their sessions end at once. The next provider account with this verified e-mail address is bound instead.`}
          confirmLabel="Unbind account"
          onConfirm={() => unbind(unbound)}
        />
      ) : null}
      {removed ? (
        <ConfirmDialog
          open
          onOpenChange={() => setRemoved(null)}
          title={`Remove ${removed.email}?`}
          description="Their sessions end at once. What they did stays in the audit log."
          confirmLabel="Remove member"
          onConfirm={() => remove(removed)}
        />
      ) : null}
    </>
  );
}
