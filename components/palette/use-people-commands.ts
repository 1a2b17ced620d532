import { KeySquare, UserRound } from 'lucide-react';
import type { Command } from '@/components/palette/command';
import { nameIn } from '@/components/palette/name-in';
import { useCall } from '@/components/use-call';
import { listMembers } from '@/lib/contract/members';
import { listTokens } from '@/lib/contract/tokens';

/** Members and admin tokens by name, with the list narrowed to each. */
export function usePeopleCommands(search: string): Command[] {
  const q = nameIn(search).slice(0, 256);
  const input = { query: { q, limit: '5' } };
  const options = { enabled: q.length >= 2, staleTime: 15_000 };
  const members = useCall(['members', 'palette', q], listMembers, input, options).data?.value ?? [];
  const tokens = useCall(['tokens', 'palette', q], listTokens, input, options).data?.value ?? [];
  const page = (tab: string, text: string) => `/settings?${new URLSearchParams({ tab, q: text })}`;
  return [
    ...members.map(
      ({ id, email, name, role }): Command => ({
        id: `member:${id}`,
        group: 'Members',
        label: name ?? email,
        icon: UserRound,
        keywords: [email, 'member', 'role', 'remove', 'invite', 'person'],
        note: role,
        href: page('members', email),
      }),
    ),
    ...tokens.map(
      ({ id, name, prefix }): Command => ({
        id: `token:${id}`,
        group: 'Admin tokens',
        label: name,
        icon: KeySquare,
        keywords: [prefix, 'token', 'revoke'],
        note: `${prefix}…`,
        href: page('tokens', name),
      }),
    ),
  ];
}
