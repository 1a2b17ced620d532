import { useQueryClient } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useUndo } from '@/components/audit-log/use-undo';
import { call } from '@/components/call';
import { toastError } from '@/components/explain-error';
import { ROLE_OPTIONS } from '@/components/members/roles';
import { useDialog } from '@/components/shell/dialogs';
import { useMay } from '@/components/shell/member';
import { NativeSelect } from '@/components/ui/native-select';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { type Member, updateMember } from '@/lib/contract/members';

const RoleDialog = dynamic(() => import('@/components/members/role-dialog'), { ssr: false });

/** A member's role. To and from owner it asks first; the rest applies at once and can be taken back. */
export function RoleSelect({ member }: { member: Member }) {
  const { id, email, role } = member;
  const queries = useQueryClient();
  const owner = useMay('owner');
  const open = useDialog();
  const { offer } = useUndo();
  const change = async (chosen: string) => {
    const next = MemberRoleSchema.parse(chosen);
    if (role === 'owner' || next === 'owner')
      return open((onClose) => <RoleDialog member={member} role={next} onClose={onClose} />);
    try {
      const { auditSeq } = await call(updateMember, { params: { id }, body: { role: next } });
      offer({ title: `${email} is ${next} now`, auditSeq });
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
