import { KeyRound, Link2, LogOut, ShieldOff, Trash2, Unlink, UserCog } from 'lucide-react';
import { call } from '@/components/api/call';
import { showErrorToast } from '@/components/api/explain-error';
import { ConfirmDialog } from '@/components/form/confirm-dialog';
import { createReasonDialog } from '@/components/form/use-reason-dialog';
import { LinkNote } from '@/components/members/link-note';
import type { Action } from '@/components/shell/action';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { ROLE_NAMES } from '@/components/vocabulary/roles';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import { createInvitation, endMemberSessions } from '@/lib/contract/invitations';
import { type Member, REMOVAL_KEPT_MINUTES, removeMember, updateMember } from '@/lib/contract/members';
import { resetSecondFactor } from '@/lib/contract/second-factor';

const LinkPanel = loadOnDemand(() => import('@/components/members/link-panel'));
export const InviteDialog = loadOnDemand(() => import('@/components/members/invite-dialog'));

/** Describes what a new role allows, compared with the old one. */
const ROLE_EFFECTS: Readonly<Record<MemberRole, string>> = {
  owner: 'Owners change limits, keys, tokens and members, and can remove you.',
  operator: 'Operators change the allowlist, overrides, counters and quotas; not limits, keys, tokens or members.',
  viewer: 'Viewers see everything here and change nothing.',
};

/** Gives a member another role. The list offers it as a select, the palette as commands. */
export function changeRole(role: MemberRole): Action<Member> {
  const name = ROLE_NAMES[role].toLowerCase();
  return {
    label: ROLE_NAMES[role],
    icon: UserCog,
    needs: 'owner',
    isOffered: (member) => member.role !== role,
    dialog: createReasonDialog('members', ({ id, email, role: present }) => ({
      title: `Make ${email} ${role === 'viewer' ? 'a' : 'an'} ${name}?`,
      description: `${ROLE_EFFECTS[role]} Applies from the next request.`,
      submitLabel: `Make ${name}`,
      mild: present !== 'owner' && role !== 'owner',
      example: 'Leads the team starting today',
      send: (reason) => call(updateMember, { params: { id }, query: { reason }, body: { role } }),
      done: `${email} is ${name} now`,
    })),
    command: ({ email }) => `Make ${email} ${name}`,
  };
}

/** An owner's actions on a member. */
export const MEMBER_ACTIONS = {
  password: {
    label: 'Reset password…',
    icon: KeyRound,
    needs: 'owner',
    isOffered: ({ has_password }) => has_password,
    dialog: createReasonDialog('members', ({ id, email }) => ({
      title: `Reset the password of ${email}?`,
      description:
        'You get a one-time link to hand over. Their current password works until the link is used; then their sessions end. A second factor is kept.',
      submitLabel: 'Create link',
      mild: true,
      example: 'Forgot it, asked by phone',
      send: async (reason) => {
        const { url, expires_at } = (await call(createInvitation, { params: { id }, query: { reason } })).value;
        return { title: `Link for ${email}`, note: <LinkNote email={email} expiresAt={expires_at} />, secret: url };
      },
    })),
  },
  link: {
    label: ({ state }) => (state === 'active' ? 'Link to set a password' : 'New invitation link'),
    icon: Link2,
    needs: 'owner',
    isOffered: ({ has_password }) => !has_password,
    run: async ({ id, email }, { open, queries }) => {
      try {
        const { value } = await call(createInvitation, { params: { id } });
        const link = { email, url: value.url, expiresAt: value.expires_at };
        open((onClose) => <LinkPanel {...link} onClose={onClose} />);
      } catch (error) {
        showErrorToast(error);
      }
      await queries.invalidateQueries({ queryKey: ['members'] });
    },
  },
  sessions: {
    label: 'End sessions…',
    icon: LogOut,
    needs: 'owner',
    dialog: ({ id, email }, onClose) => (
      <ConfirmDialog
        title={`End the sessions of ${email}?`}
        description="They are signed out everywhere and can sign in again."
        confirmLabel="End sessions"
        confirm={() => call(endMemberSessions, { params: { id } })}
        changes="members"
        done={`${email} is signed out`}
        onClose={onClose}
      />
    ),
  },
  factor: {
    label: 'Reset second factor…',
    icon: ShieldOff,
    needs: 'owner',
    isOffered: ({ id, second_factor }, self) => second_factor && id !== self.id,
    dialog: createReasonDialog('members', ({ id, email }) => ({
      title: `Reset the second factor of ${email}?`,
      description:
        'For someone who has lost both the phone and the recovery codes. Make sure it is really them asking: until they set up a new one, their password is enough. Their sessions end.',
      submitLabel: 'Reset second factor',
      example: 'Lost the phone, seen in person',
      send: (reason) => call(resetSecondFactor, { params: { id }, query: { reason } }),
      done: `${email} no longer has a second factor`,
      final: true,
    })),
  },
  unbind: {
    label: 'Unlink provider account…',
    icon: Unlink,
    needs: 'owner',
    isOffered: ({ provider_accounts }) => provider_accounts.length > 0,
    dialog: createReasonDialog('members', ({ id, email, provider_accounts: accounts }) => ({
      title: `Unlink the provider account of ${email}?`,
      description: `${accounts.map(({ issuer, subject }) => `They sign in with ${subject} at ${issuer}.`).join(' ')} Their sessions end at once. The next provider account with this verified e-mail address is linked instead.`,
      submitLabel: 'Unlink account',
      example: 'Moved to another account at the provider',
      send: (reason) => call(updateMember, { params: { id }, query: { reason }, body: { provider_accounts: [] } }),
      done: `${email} can sign in with another provider account`,
      final: true,
    })),
  },
  remove: {
    label: 'Remove…',
    icon: Trash2,
    needs: 'owner',
    destructive: true,
    dialog: createReasonDialog('members', ({ id, email }) => ({
      title: `Remove ${email}?`,
      description: `Their sessions and their invitation end at once. Their changes stay in the audit log, and the tokens that they created keep working. For ${REMOVAL_KEPT_MINUTES} minutes this can be undone.`,
      submitLabel: 'Remove member',
      example: 'Left the team',
      send: (reason) => call(removeMember, { params: { id }, query: { reason } }),
      done: `${email} was removed`,
    })),
  },
} as const satisfies Record<string, Action<Member>>;
