import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { z } from 'zod';
import { call } from '@/components/call';
import { FormFault } from '@/components/form/form-fault';
import { TextField } from '@/components/form/text-field';
import { useApiForm } from '@/components/form/use-api-form';
import { useMember } from '@/components/shell/member';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardDescription, CardHeader, CardTitle } from '@/components/ui/card';
import { PasswordInput } from '@/lib/contract/members';
import { changeOwnPassword } from '@/lib/contract/session';

const PasswordForm = z.object({
  current_password: z.string().min(1, 'Enter your password.'),
  new_password: PasswordInput,
});

const EMPTY = { current_password: '', new_password: '' };

export function PasswordSection() {
  const { email } = useMember();
  const form = useForm({ resolver: zodResolver(PasswordForm), defaultValues: EMPTY });
  const { submit, fault } = useApiForm(form, async (body) => {
    await call(changeOwnPassword, { body });
    form.reset(EMPTY);
    toast.success('Password changed', { description: 'Your other sessions have ended.' });
  });
  return (
    <Card>
      <CardHeader className="block">
        <CardTitle>Password</CardTitle>
        <CardDescription>For {email}. A change ends your other sessions.</CardDescription>
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
