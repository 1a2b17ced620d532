import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { FormFault, useApiForm } from '@/components/form/api-form';
import { PasswordField } from '@/components/form/fields/password-field';
import { useMember } from '@/components/shell/member';
import { Button } from '@/components/ui/button';
import { TitledCard } from '@/components/ui/card';
import { toast } from '@/components/ui/toast';
import { PASSWORD_HINT, PasswordInput } from '@/lib/contract/fields/password';
import { changeOwnPassword } from '@/lib/contract/session';

const PasswordForm = z.object({
  current_password: z.string().min(1, 'Enter your password.'),
  new_password: PasswordInput,
});

const EMPTY = { current_password: '', new_password: '' };

export function PasswordCard() {
  const { email } = useMember();
  const queries = useQueryClient();
  const form = useForm({ resolver: zodResolver(PasswordForm), defaultValues: EMPTY });
  const { submit, fault } = useApiForm(form, async (body) => {
    await call(changeOwnPassword, { body });
    form.reset(EMPTY);
    void queries.invalidateQueries({ queryKey: ['own-sessions'] });
    toast.success('Password changed', { description: 'Your other sessions have ended.' });
  });
  return (
    <TitledCard title="Password" description={`For ${email}. A change ends your other sessions.`} header="block">
      <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
        <FormFault error={fault} />
        <PasswordField
          control={form.control}
          name="current_password"
          label="Current password"
          autoComplete="current-password"
        />
        <PasswordField
          control={form.control}
          name="new_password"
          label="New password"
          autoComplete="new-password"
          hint={PASSWORD_HINT}
        />
        <Button type="submit" variant="outline" className="self-start" pending={form.formState.isSubmitting}>
          Change password
        </Button>
      </form>
    </TitledCard>
  );
}
