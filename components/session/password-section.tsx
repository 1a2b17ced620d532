'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { z } from 'zod';
import { callApi } from '@/components/api-client';
import { FormFault } from '@/components/form/form-fault';
import { TextField } from '@/components/form/text-field';
import { useApiForm } from '@/components/form/use-api-form';
import { useMember } from '@/components/shell/member';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardDescription, CardHeader, CardTitle } from '@/components/ui/card';
import { PasswordInput } from '@/lib/contract/members';

const PasswordForm = z.object({
  current_password: z.string().min(1, 'Enter your password.'),
  new_password: PasswordInput,
});

const EMPTY = { current_password: '', new_password: '' };

/** Changes the own password. */
export function PasswordSection() {
  const { email } = useMember();
  const form = useForm({ resolver: zodResolver(PasswordForm), defaultValues: EMPTY });
  const { submit, fault } = useApiForm(form, async (body) => {
    await callApi('/v1/admin/session/password', { method: 'POST', body });
    form.reset(EMPTY);
    toast.success('Your password is changed', { description: 'Your other sessions have ended.' });
  });
  return (
    <Card>
      <CardHeader className="block">
        <CardTitle>Password</CardTitle>
        <CardDescription>Of {email}. Changing it ends your other sessions.</CardDescription>
      </CardHeader>
      <CardContent>
        <form onSubmit={submit} noValidate className="flex flex-col gap-4">
          <FormFault error={fault} />
          <TextField
            control={form.control}
            name="current_password"
            label="Current password"
            type="password"
            autoComplete="current-password"
          />
          <TextField
            control={form.control}
            name="new_password"
            label="New password"
            type="password"
            autoComplete="new-password"
            hint="At least 8 characters."
          />
          <Button type="submit" className="self-start" pending={form.formState.isSubmitting}>
            Change password
          </Button>
        </form>
      </CardContent>
    </Card>
  );
}
