import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { CodeField } from '@/components/form/fields/code-field';
import { PasswordField } from '@/components/form/fields/password-field';
import { TextField } from '@/components/form/fields/text-field';
import { type SignInOutcome, signInWithPassword } from '@/components/session/authenticate';
import { OutcomeAlert } from '@/components/session/outcome-alert';
import { useCountdown } from '@/components/session/use-countdown';
import { Button } from '@/components/ui/button';

const Credentials = z.object({
  email: z.string().trim().min(1, 'Enter your e-mail address.'),
  password: z.string().min(1, 'Enter your password.'),
  code: z.string().trim(),
});

/** Asks for e-mail address and password, then for a code if the member has a second factor. */
export function SignInForm({ onSuccess }: { onSuccess: () => void }) {
  const form = useForm({
    resolver: zodResolver(Credentials),
    defaultValues: { email: '', password: '', code: '' },
  });
  const { control, setFocus, setValue } = form;
  const [outcome, setOutcome] = useState<SignInOutcome | null>(null);
  const [asksCode, setAsksCode] = useState(false);
  const left = useCountdown(outcome?.kind === 'locked' ? outcome.seconds : null);
  useEffect(() => setFocus(asksCode ? 'code' : 'email'), [asksCode, setFocus]);
  const submit = form.handleSubmit(async (credentials) => {
    if (asksCode && credentials.code === '')
      return form.setError('code', { message: 'Enter the code.' }, { shouldFocus: true });
    const result = await signInWithPassword(credentials);
    setOutcome(result);
    if (result.kind === 'in') return onSuccess();
    if (result.kind === 'code') {
      setAsksCode(true);
      if (result.code === 'wrong') setFocus('code', { shouldSelect: true });
    }
    if (result.kind === 'wrong') {
      goBack();
      setFocus('password', { shouldSelect: true });
    }
  });
  const goBack = () => {
    setAsksCode(false);
    setValue('code', '');
  };
  const locked = outcome?.kind === 'locked' && left !== null && left > 0;
  return (
    <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
      <OutcomeAlert outcome={outcome} left={left} />
      {asksCode ? (
        <CodeField control={control} name="code" recovery large />
      ) : (
        <>
          <TextField control={control} name="email" label="E-mail" type="email" autoComplete="username" large />
          <PasswordField control={control} name="password" label="Password" autoComplete="current-password" large />
        </>
      )}
      <Button type="submit" size="lg" pending={form.formState.isSubmitting} disabled={locked}>
        Sign in
      </Button>
      {asksCode ? (
        <Button
          variant="ghost"
          onClick={() => {
            goBack();
            setOutcome(null);
          }}
        >
          Back
        </Button>
      ) : null}
    </form>
  );
}
