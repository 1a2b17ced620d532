import { HistoryMenuItem } from '@/components/links/history-link';
import { RowMenu } from '@/components/list/row-menu';
import { useMemberOperations } from '@/components/members/use-member-operations';
import { RoleMenuItem } from '@/components/shell/role-menu-item';
import type { Member } from '@/lib/contract/members';

/** Menu of an owner's actions for a member. */
export function MemberActions({ row: member }: { row: Member }) {
  const operations = useMemberOperations()(member);
  return (
    <RowMenu name={member.email}>
      <HistoryMenuItem target={member.id} />
      {operations.map(({ id, run, ...item }) => (
        <RoleMenuItem key={id} {...item} destructive={id === 'remove'} needs="owner" onSelect={run} />
      ))}
    </RowMenu>
  );
}
