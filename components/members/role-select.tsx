import { changeRole } from '@/components/members/member-actions';
import { useRunAction } from '@/components/shell/action';
import { RoleGate } from '@/components/shell/role-gate';
import { NativeSelect } from '@/components/ui/native-select';
import { ROLE_OPTIONS } from '@/components/vocabulary/roles';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import type { Member } from '@/lib/contract/members';

/** Selects a member's role. A new role needs confirmation. */
export function RoleSelect({ member }: { member: Member }) {
  const run = useRunAction();
  return (
    <RoleGate needs="owner">
      <NativeSelect
        aria-label={`Role of ${member.email}`}
        className="w-28 max-sm:w-24"
        value={member.role}
        onChange={(event) => {
          run(changeRole(MemberRoleSchema.parse(event.target.value)), member);
        }}
        options={ROLE_OPTIONS}
      />
    </RoleGate>
  );
}
