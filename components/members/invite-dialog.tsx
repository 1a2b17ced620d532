import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/call';
import { FormDialog } from '@/components/form/form-dialog';
import { SelectField } from '@/components/form/select-field';
import { TextField } from '@/components/form/text-field';
import { ROLE_OPTIONS } from '@/components/members/roles';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { inviteMember, PasswordInput } from '@/lib/contract/members';

const InviteForm = z.object({
  email: z.string().trim().min(3, 'Enter an e-mail address.'),
  role: MemberRoleSchema,
  password: z
    .string()
    .refine((text) => text === '' || PasswordInput.safeParse(text).success, 'At least 8 characters, or none.'),
});

const NOBODY = { email: '', role: 'viewer' as const, password: '' };

export default function InviteDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({ resolver: zodResolver(InviteForm), defaultValues: NOBODY });
  const { control } = form;
  return (
    <FormDialog
      form={form}
      title="Add member"
      send={({ password, ...member }) =>
        call(inviteMember, { body: { ...member, ...(password === '' ? {} : { password }) } })
      }
      changes="members"
      done={({ value }) => ({ title: `${value.email} is a member` })}
      onClose={onClose}
    >
      <TextField control={control} name="email" label="E-mail" type="email" autoComplete="off" />
      <SelectField control={control} name="role" label="Role" options={ROLE_OPTIONS} />
      <TextField
        control={control}
        name="password"
        label="First password"
        type="password"
        autoComplete="new-password"
        optional
        hint="Without one, only a configured provider can sign this person in."
      />
    </FormDialog>
  );
}
