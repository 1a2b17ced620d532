import { Ban, KeySquare, UserCog, UserRound } from 'lucide-react';
import { useCall } from '@/components/api/use-call';
import { useMemberOperations } from '@/components/members/use-member-operations';
import type { Command } from '@/components/palette/command';
import { createChangesCommand } from '@/components/palette/create-changes-command';
import { extractName } from '@/components/palette/extract-name';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { useRevokeToken } from '@/components/tokens/use-revoke-token';
import { ROLE_NAMES } from '@/components/vocabulary/roles';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { listMembers, type Member } from '@/lib/contract/members';
import { type AdminToken, listTokens } from '@/lib/contract/tokens';

const RoleDialog = loadOnDemand(() => import('@/components/members/role-dialog'));

/** Commands for members and admin tokens found by name. */
export function usePeopleCommands(search: string): Command[] {
  const q = extractName(search).slice(0, 256);
  const input = { query: { q, limit: '5' } };
  const options = { enabled: q.length >= 2, staleTime: 15_000 };
  const members = useCall(['members', 'palette', q], listMembers, input, options).data?.value ?? [];
  const tokens = useCall(['tokens', 'palette', q], listTokens, input, options).data?.value ?? [];
  const open = useDialog();
  const operationsOf = useMemberOperations();
  const revoke = useRevokeToken();
  const roles = (member: Member): Command[] =>
    MemberRoleSchema.options
      .filter((role) => role !== member.role)
      .map((role) => ({
        ...describeMember(member),
        id: `member.role-${role}:${member.id}`,
        label: `Make ${member.email} ${ROLE_NAMES[role].toLowerCase()}`,
        icon: UserCog,
        needs: 'owner',
        run: () => open((onClose) => <RoleDialog member={member} role={role} onClose={onClose} />),
      }));
  const operations = (member: Member): Command[] =>
    operationsOf(member).map(({ id, label, icon, run }) => ({
      ...describeMember(member),
      id: `member.${id}:${member.id}`,
      label: `${label.replace('…', '')}: ${member.email}`,
      icon,
      needs: 'owner',
      run,
    }));
  return [
    ...members.flatMap((member) => [
      memberPage(member),
      ...roles(member),
      ...operations(member),
      createChangesCommand(describeMember(member), member.id, member.email),
    ]),
    ...tokens.flatMap((token): Command[] => [
      tokenPage(token),
      {
        ...aboutToken(token),
        id: `token.revoke:${token.id}`,
        label: `Revoke ${token.name}`,
        icon: Ban,
        needs: 'owner',
        run: () => revoke(token),
      },
      createChangesCommand(aboutToken(token), token.id, token.name),
    ]),
  ];
}

const settingsPage = (tab: string, text: string) => `/settings?${new URLSearchParams({ tab, q: text })}`;

const describeMember = ({ email, name }: Member) => ({
  group: 'Members',
  keywords: [email, ...(name ? [name] : []), 'member'],
});
const aboutToken = ({ name, prefix }: AdminToken) => ({ group: 'Admin tokens', keywords: [name, prefix, 'token'] });

function memberPage(member: Member): Command {
  const { id, email, name, role } = member;
  return {
    ...describeMember(member),
    id: `member:${id}`,
    label: name ?? email,
    icon: UserRound,
    note: role,
    href: settingsPage('members', email),
  };
}

function tokenPage(token: AdminToken): Command {
  const { id, name, prefix } = token;
  const page = { id: `token:${id}`, label: name, icon: KeySquare, note: `${prefix}…` };
  return { ...aboutToken(token), ...page, href: settingsPage('tokens', name) };
}
