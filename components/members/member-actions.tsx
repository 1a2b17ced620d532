import { useQueryClient } from '@tanstack/react-query';
import { KeyRound, Link2, LogOut, ShieldOff, Trash2, Unlink } from 'lucide-react';
import type { ComponentType } from 'react';
import { HistoryMenuItem } from '@/components/audit-log/history-link';
import { call } from '@/components/call';
import { toastError } from '@/components/explain-error';
import { useConfirm } from '@/components/form/confirm-dialog';
import { SecretPanel } from '@/components/form/secret-panel';
import { useReasonDialog } from '@/components/form/use-reason-dialog';
import { RowMenu } from '@/components/list/row-menu';
import { LinkNote } from '@/components/members/link-note';
import type { MemberDialogProps } from '@/components/members/member-dialog';
import { useDialog } from '@/components/shell/dialogs';
import { useMay, useMember } from '@/components/shell/member';
import { onDemand } from '@/components/shell/on-demand';
import { DropdownMenuItem, DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import { createInvitation, endMemberSessions } from '@/lib/contract/invitations';
import { type Member, updateMember } from '@/lib/contract/members';

const ResetPassword = onDemand(() => import('@/components/members/reset-password-dialog'));
const ResetFactor = onDemand(() => import('@/components/members/reset-factor-dialog'));
const Remove = onDemand(() => import('@/components/members/remove-dialog'));

/** What an owner can do for or to a member. */
export function MemberActions({ row: member }: { row: Member }) {
  const { id, email, state, has_password: hasPassword, provider_accounts: accounts } = member;
  const self = useMember();
  const disabled = !useMay('owner');
  const confirm = useConfirm('members');
  const ask = useReasonDialog('members');
  const open = useDialog();
  const show = (Dialog: ComponentType<MemberDialogProps>) => () =>
    open((onClose) => <Dialog member={member} onClose={onClose} />);
  const newLink = useNewLink(member);
  const unbind = {
    title: `Unlink the provider account of ${email}?`,
    description: `${accounts.map(({ issuer, subject }) => `They sign in with ${subject} at ${issuer}.`).join(' ')} Their sessions end at once. The next provider account with this verified e-mail address is linked instead.`,
    submitLabel: 'Unlink account',
    example: 'Moved to another account at the provider',
    send: (reason: string) =>
      call(updateMember, { params: { id }, query: { reason }, body: { provider_accounts: [] } }),
    done: `${email} can sign in with another provider account`,
  };
  const endSessions = {
    title: `End the sessions of ${email}?`,
    description: 'They are signed out everywhere and can sign in again.',
    confirmLabel: 'End sessions',
    confirm: () => call(endMemberSessions, { params: { id } }),
    done: `${email} is signed out`,
  };
  return (
    <RowMenu name={email}>
      {hasPassword ? (
        <DropdownMenuItem icon={KeyRound} label="Reset password…" disabled={disabled} onSelect={show(ResetPassword)} />
      ) : (
        <DropdownMenuItem
          icon={Link2}
          label={state === 'active' ? 'Link to set a password' : 'New invitation link'}
          disabled={disabled}
          onSelect={newLink}
        />
      )}
      <DropdownMenuItem icon={LogOut} label="End sessions…" disabled={disabled} onSelect={() => confirm(endSessions)} />
      <HistoryMenuItem target={id} />
      {member.second_factor && id !== self.id ? (
        <DropdownMenuItem
          icon={ShieldOff}
          label="Reset second factor…"
          disabled={disabled}
          onSelect={show(ResetFactor)}
        />
      ) : null}
      {accounts.length > 0 ? (
        <DropdownMenuItem
          icon={Unlink}
          label="Unlink provider account…"
          disabled={disabled}
          onSelect={() => ask(unbind)}
        />
      ) : null}
      <DropdownMenuSeparator />
      <DropdownMenuItem icon={Trash2} label="Remove…" destructive disabled={disabled} onSelect={show(Remove)} />
    </RowMenu>
  );
}

/** Makes a link for a member without a password, and shows it. */
function useNewLink({ id, email }: Member): () => void {
  const queries = useQueryClient();
  const open = useDialog();
  const make = async () => {
    try {
      const { value } = await call(createInvitation, { params: { id } });
      const note = <LinkNote email={email} expiresAt={value.expires_at} />;
      open((onClose) => <SecretPanel title={`Link for ${email}`} note={note} secret={value.url} onClose={onClose} />);
    } catch (error) {
      toastError(error);
    }
    await queries.invalidateQueries({ queryKey: ['members'] });
  };
  return () => void make();
}
