import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { FormDialog } from '@/components/form/form-dialog';
import { ReasonField, ReasonInput } from '@/components/form/reason-field';
import { LinkNote } from '@/components/members/link-note';
import type { MemberDialogProps } from '@/components/members/member-dialog';
import { createInvitation } from '@/lib/contract/invitations';

const ResetForm = z.object({ reason: ReasonInput });

/** Creates a link that lets a member who forgot the password set a new one. */
export default function ResetPasswordDialog({ member: { id, email }, onClose }: MemberDialogProps) {
  const form = useForm({ resolver: zodResolver(ResetForm), defaultValues: { reason: '' } });
  return (
    <FormDialog
      form={form}
      title={`Reset the password of ${email}?`}
      description="You get a one-time link to hand over. Their current password works until the link is used; then their sessions end. A second factor is kept."
      submitLabel="Create link"
      send={({ reason }) => call(createInvitation, { params: { id }, query: { reason } })}
      changes="members"
      done={({ value: { url, expires_at } }) => ({
        title: `Link for ${email}`,
        note: <LinkNote email={email} expiresAt={expires_at} />,
        secret: url,
      })}
      onClose={onClose}
    >
      <ReasonField control={form.control} name="reason" example="Forgot it, asked by phone" />
    </FormDialog>
  );
}
