import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/call';
import { FormDialog } from '@/components/form/form-dialog';
import { ReasonField, ReasonInput } from '@/components/form/reason-field';
import type { MemberDialogProps } from '@/components/members/member-dialog';
import { resetSecondFactor } from '@/lib/contract/second-factor';

const ResetForm = z.object({ reason: ReasonInput });

/** For a member who has lost both the phone and the recovery codes. */
export default function ResetFactorDialog({ member: { id, email }, onClose }: MemberDialogProps) {
  const form = useForm({ resolver: zodResolver(ResetForm), defaultValues: { reason: '' } });
  return (
    <FormDialog
      form={form}
      title={`Reset the second factor of ${email}?`}
      description="Make sure it is really them asking: until they set up a new one, their password alone is enough. Their sessions end."
      submitLabel="Reset second factor"
      destructive
      send={({ reason }) => call(resetSecondFactor, { params: { id }, query: { reason } })}
      changes="members"
      done={() => ({ title: `${email} no longer has a second factor` })}
      onClose={onClose}
    >
      <ReasonField control={form.control} name="reason" example="Lost the phone, seen in person" />
    </FormDialog>
  );
}
