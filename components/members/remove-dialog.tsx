import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/call';
import { FormDialog } from '@/components/form/form-dialog';
import { ReasonField, ReasonInput } from '@/components/form/reason-field';
import type { MemberDialogProps } from '@/components/members/member-dialog';
import { removeMember } from '@/lib/contract/members';

const RemoveForm = z.object({ reason: ReasonInput });

export default function RemoveDialog({ member: { id, email }, onClose }: MemberDialogProps) {
  const form = useForm({ resolver: zodResolver(RemoveForm), defaultValues: { reason: '' } });
  return (
    <FormDialog
      form={form}
      title={`Remove ${email}?`}
      description="Their sessions and their invitation end at once. Their changes stay in the audit log, and the tokens that they created keep working."
      submitLabel="Remove member"
      destructive
      send={({ reason }) => call(removeMember, { params: { id }, query: { reason } })}
      changes="members"
      done={() => ({ title: `${email} was removed` })}
      onClose={onClose}
    >
      <ReasonField control={form.control} name="reason" example="Left the team" />
    </FormDialog>
  );
}
