import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleGate } from '@/components/shell/role-gate';
import { NativeSelect } from '@/components/ui/native-select';
import { ROLE_OPTIONS } from '@/components/vocabulary/roles';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import type { Member } from '@/lib/contract/members';

const RoleDialog = loadOnDemand(() => import('@/components/members/role-dialog'));

/** Selects a member's role. A new role needs confirmation. */
export function RoleSelect({ member }: { member: Member }) {
  const open = useDialog();
  return (
    <RoleGate needs="owner">
      <NativeSelect
        aria-label={`Role of ${member.email}`}
        className="w-28 max-sm:w-24"
        value={member.role}
        onChange={(event) => {
          const role = MemberRoleSchema.parse(event.target.value);
          open((onClose) => <RoleDialog member={member} role={role} onClose={onClose} />);
        }}
        options={ROLE_OPTIONS}
      />
    </RoleGate>
  );
}
