import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { SelectField } from '@/components/form/fields/select-field';
import { TextField } from '@/components/form/fields/text-field';
import { FormDialog } from '@/components/form/form-dialog';
import { LinkNote } from '@/components/members/link-note';
import { useProviders } from '@/components/shell/member';
import { ROLE_NAMES, ROLE_OPTIONS } from '@/components/vocabulary/roles';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { inviteMember } from '@/lib/contract/members';

const InviteForm = z.object({
  email: z.string().trim().min(3, 'Enter an e-mail address.'),
  role: MemberRoleSchema,
  way: z.enum(['link', 'provider']),
});

/** Invites a member and shows the link that lets them set a password. */
export default function InviteDialog({ onClose }: { onClose: () => void }) {
  const providers = useProviders();
  const form = useForm({
    resolver: zodResolver(InviteForm),
    defaultValues: { email: '', role: 'viewer' as const, way: 'link' as const },
  });
  const { control } = form;
  return (
    <FormDialog
      form={form}
      title="Invite a member"
      description={
        providers.length > 0 ? undefined : 'They set their own password through a one-time link that you give them.'
      }
      submitLabel="Invite"
      send={({ email, role, way }) => call(inviteMember, { body: { email, role, invitation: way === 'link' } })}
      changes="members"
      done={({ value: { email, role, invitation }, auditSeq }) =>
        invitation === null
          ? { title: `${email} can sign in with ${providers.join(' or ')}`, auditSeq }
          : {
              title: `${email} is invited as ${ROLE_NAMES[role]}`,
              note: <LinkNote email={email} expiresAt={invitation.expires_at} />,
              secret: invitation.url,
            }
      }
      onClose={onClose}
    >
      <TextField control={control} name="email" label="E-mail" type="email" autoComplete="off" />
      <SelectField control={control} name="role" label="Role" options={ROLE_OPTIONS} />
      {providers.length > 0 ? (
        <SelectField
          control={control}
          name="way"
          label="Signs in"
          options={[
            { value: 'link', label: 'With a password', hint: 'set by a one-time link' },
            { value: 'provider', label: `With ${providers.join(' or ')}`, hint: 'needs this address, verified' },
          ]}
        />
      ) : null}
    </FormDialog>
  );
}
