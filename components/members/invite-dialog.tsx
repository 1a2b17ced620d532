'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { z } from 'zod';
import { callApi } from '@/components/api-client';
import { FormDialog } from '@/components/form/form-dialog';
import { SelectField } from '@/components/form/select-field';
import { TextField } from '@/components/form/text-field';
import { useApiForm } from '@/components/form/use-api-form';
import { MEMBERS_PATH, membersKey } from '@/components/members/members-api';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { MemberSchema, PasswordInput } from '@/lib/contract/members';

const InviteForm = z.object({
  email: z.string().trim().min(3, 'Enter an e-mail address.'),
  role: MemberRoleSchema,
  password: z
    .string()
    .refine((text) => text === '' || PasswordInput.safeParse(text).success, 'At least 8 characters, or none.'),
});

const ROLES = [
  { value: 'viewer', label: 'Viewer', hint: 'reads' },
  { value: 'operator', label: 'Operator', hint: 'allowlist, counters, quotas' },
  { value: 'owner', label: 'Owner', hint: 'everything' },
];

/** Lets a person in. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const form = useForm({
    resolver: zodResolver(InviteForm),
    defaultValues: { email: '', role: 'viewer' as const, password: '' },
  });
  const { submit, fault } = useApiForm(form, async ({ email, role, password }) => {
    const body = { email, role, ...(password === '' ? {} : { password }) };
    const { value } = await callApi(MEMBERS_PATH, { method: 'POST', body, schema: MemberSchema });
    await queries.invalidateQueries({ queryKey: membersKey });
    toast.success(`${value.email} may sign in`);
    onClose();
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title="Add member"
      submitLabel="Add member"
      pending={form.formState.isSubmitting}
      fault={fault}
      onSubmit={submit}
    >
      <TextField control={form.control} name="email" label="E-mail" type="email" autoComplete="off" />
      <SelectField control={form.control} name="role" label="Role" options={ROLES} />
      <TextField
        control={form.control}
        name="password"
        label="First password"
        type="password"
        autoComplete="new-password"
        optional
        hint="Without one only a configured provider can sign this person in."
      />
    </FormDialog>
  );
}
