import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/call';
import { FormDialog } from '@/components/form/form-dialog';
import { ReasonField, ReasonInput } from '@/components/form/reason-field';
import { ROLE_NAMES } from '@/components/members/roles';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import { type Member, updateMember } from '@/lib/contract/members';

const RoleForm = z.object({ reason: ReasonInput });

interface RoleDialogProps {
  member: Member;
  role: MemberRole;
  onClose: () => void;
}

/** Asks before somebody becomes an owner or stops being one. */
export default function RoleDialog({ member: { id, email }, role, onClose }: RoleDialogProps) {
  const form = useForm({ resolver: zodResolver(RoleForm), defaultValues: { reason: '' } });
  const name = ROLE_NAMES[role];
  const becomes = role === 'owner';
  return (
    <FormDialog
      form={form}
      title={becomes ? `Make ${email} an owner?` : `Make ${email} ${role === 'operator' ? 'an' : 'a'} ${role}?`}
      description={
        becomes
          ? 'Owners change limits, keys, tokens and members, and can remove you.'
          : `They are an owner now. From their next request on they can no longer change limits, keys, tokens or members.`
      }
      submitLabel={`Make ${name.toLowerCase()}`}
      destructive
      draft={`role ${id} ${role}`}
      send={({ reason }) => call(updateMember, { params: { id }, query: { reason }, body: { role } })}
      changes="members"
      done={({ auditSeq }) => ({ title: `${email} is ${name.toLowerCase()} now`, auditSeq })}
      onClose={onClose}
    >
      <ReasonField control={form.control} name="reason" example="Leads the team starting today" />
    </FormDialog>
  );
}
