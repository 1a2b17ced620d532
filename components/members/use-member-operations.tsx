import { useQueryClient } from '@tanstack/react-query';
import { KeyRound, Link2, LogOut, type LucideIcon, ShieldOff, Trash2, Unlink } from 'lucide-react';
import { call } from '@/components/api/call';
import { toastError } from '@/components/api/explain-error';
import { useConfirm } from '@/components/form/confirm-dialog';
import { useReasonDialog } from '@/components/form/use-reason-dialog';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { useMember } from '@/components/shell/member';
import { createInvitation, endMemberSessions } from '@/lib/contract/invitations';
import { type Member, REMOVAL_KEPT_MINUTES, removeMember, updateMember } from '@/lib/contract/members';
import { resetSecondFactor } from '@/lib/contract/second-factor';

const LinkPanel = loadOnDemand(() => import('@/components/members/link-panel'));
const ResetPassword = loadOnDemand(() => import('@/components/members/reset-password-dialog'));

interface MemberOperation {
  id: 'password' | 'link' | 'sessions' | 'factor' | 'unbind' | 'remove';
  label: string;
  icon: LucideIcon;
  run: () => void;
}

/** Returns an owner's actions for a member. The last one removes the member. */
export function useMemberOperations(): (member: Member) => readonly MemberOperation[] {
  const self = useMember();
  const confirm = useConfirm('members');
  const ask = useReasonDialog('members');
  const open = useDialog();
  const newLink = useNewLink();
  return (member) => {
    const { id, email, state, provider_accounts: accounts } = member;
    const operations: MemberOperation[] = [
      member.has_password
        ? {
            id: 'password',
            label: 'Reset password…',
            icon: KeyRound,
            run: () => open((onClose) => <ResetPassword member={member} onClose={onClose} />),
          }
        : {
            id: 'link',
            label: state === 'active' ? 'Link to set a password' : 'New invitation link',
            icon: Link2,
            run: () => newLink(member),
          },
      { id: 'sessions', label: 'End sessions…', icon: LogOut, run: () => confirm(endingSessions(member)) },
    ];
    if (member.second_factor && id !== self.id)
      operations.push({
        id: 'factor',
        label: 'Reset second factor…',
        icon: ShieldOff,
        run: () =>
          ask({
            title: `Reset the second factor of ${email}?`,
            description:
              'For someone who has lost both the phone and the recovery codes. Make sure it is really them asking: until they set up a new one, their password alone is enough. Their sessions end.',
            submitLabel: 'Reset second factor',
            example: 'Lost the phone, seen in person',
            send: (reason) => call(resetSecondFactor, { params: { id }, query: { reason } }),
            done: `${email} no longer has a second factor`,
            final: true,
          }),
      });
    if (accounts.length > 0)
      operations.push({
        id: 'unbind',
        label: 'Unlink provider account…',
        icon: Unlink,
        run: () =>
          ask({
            title: `Unlink the provider account of ${email}?`,
            description: `${accounts.map(({ issuer, subject }) => `They sign in with ${subject} at ${issuer}.`).join(' ')} Their sessions end at once. The next provider account with this verified e-mail address is linked instead.`,
            submitLabel: 'Unlink account',
            example: 'Moved to another account at the provider',
            send: (reason) =>
              call(updateMember, { params: { id }, query: { reason }, body: { provider_accounts: [] } }),
            done: `${email} can sign in with another provider account`,
            final: true,
          }),
      });
    operations.push({
      id: 'remove',
      label: 'Remove…',
      icon: Trash2,
      run: () =>
        ask({
          title: `Remove ${email}?`,
          description: `Their sessions and their invitation end at once. Their changes stay in the audit log, and the tokens that they created keep working. For ${REMOVAL_KEPT_MINUTES} minutes this can be undone.`,
          submitLabel: 'Remove member',
          example: 'Left the team',
          send: (reason) => call(removeMember, { params: { id }, query: { reason } }),
          done: `${email} was removed`,
        }),
    });
    return operations;
  };
}

function endingSessions({ id, email }: Member) {
  return {
    title: `End the sessions of ${email}?`,
    description: 'They are signed out everywhere and can sign in again.',
    confirmLabel: 'End sessions',
    confirm: () => call(endMemberSessions, { params: { id } }),
    done: `${email} is signed out`,
  };
}

/** Creates a link for a member without a password, and shows it. */
function useNewLink(): (member: Member) => void {
  const queries = useQueryClient();
  const open = useDialog();
  const make = async ({ id, email }: Member) => {
    try {
      const { value } = await call(createInvitation, { params: { id } });
      const link = { email, url: value.url, expiresAt: value.expires_at };
      open((onClose) => <LinkPanel {...link} onClose={onClose} />);
    } catch (error) {
      toastError(error);
    }
    await queries.invalidateQueries({ queryKey: ['members'] });
  };
  return (member) => void make(member);
}
