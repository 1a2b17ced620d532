import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { FormDialog } from '@/components/form/form-dialog';
import { ReasonField, ReasonInput } from '@/components/form/reason-field';
import { ROLE_NAMES } from '@/components/vocabulary/roles';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import { type Member, updateMember } from '@/lib/contract/members';

const RoleForm = z.object({ reason: ReasonInput });

interface RoleDialogProps {
  member: Member;
  role: MemberRole;
  onClose: () => void;
}

/** Describes what a new role allows, compared with the old one. */
const EFFECTS: Readonly<Record<MemberRole, string>> = {
  owner: 'Owners change limits, keys, tokens and members, and can remove you.',
  operator: 'Operators change the allowlist, overrides, counters and quotas; not limits, keys, tokens or members.',
  viewer: 'Viewers see everything here and change nothing.',
};

/** Confirms a change of a member's role. */
export default function RoleDialog({ member: { id, email, role: present }, role, onClose }: RoleDialogProps) {
  const form = useForm({ resolver: zodResolver(RoleForm), defaultValues: { reason: '' } });
  const name = ROLE_NAMES[role];
  return (
    <FormDialog
      form={form}
      title={`Make ${email} ${role === 'viewer' ? 'a' : 'an'} ${name.toLowerCase()}?`}
      description={`${EFFECTS[role]} Applies from the next request.`}
      submitLabel={`Make ${name.toLowerCase()}`}
      destructive={present === 'owner' || role === 'owner'}
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
