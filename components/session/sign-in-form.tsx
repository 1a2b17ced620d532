import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { TextField } from '@/components/form/text-field';
import { type SignInOutcome, signInWithPassword } from '@/components/session/authenticate';
import { outcomeText } from '@/components/session/refusals';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';

const Credentials = z.object({
  email: z.string().trim().min(1, 'Enter your e-mail address.'),
  password: z.string().min(1, 'Enter your password.'),
});

/** Remaining seconds of a lockout, counted down. */
function useCountdown(seconds: number | null): number | null {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    setLeft(seconds);
    if (seconds === null) return;
    const until = Date.now() + seconds * 1000;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000))), 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  return left;
}

export function SignInForm({ onSuccess }: { onSuccess: () => void }) {
  const form = useForm({ resolver: zodResolver(Credentials), defaultValues: { email: '', password: '' } });
  const [outcome, setOutcome] = useState<SignInOutcome | null>(null);
  const left = useCountdown(outcome?.kind === 'locked' ? outcome.seconds : null);
  const submit = form.handleSubmit(async (credentials) => {
    const result = await signInWithPassword(credentials);
    setOutcome(result);
    if (result.kind === 'in') return onSuccess();
    if (result.kind === 'wrong') form.setFocus('password', { shouldSelect: true });
  });
  const refusal = outcome && outcome.kind !== 'in' ? outcomeText(outcome, left) : null;
  const locked = outcome?.kind === 'locked' && left !== null && left > 0;
  return (
    <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
      <div aria-live="polite" className="empty:hidden">
        {refusal ? (
          <Alert variant={outcome?.kind === 'locked' ? 'warning' : 'destructive'} title={refusal.title}>
            {refusal.text}
            {outcome?.kind === 'forbidden' || outcome?.kind === 'fault' ? ' Your password was not checked.' : null}
          </Alert>
        ) : null}
      </div>
      <TextField control={form.control} name="email" label="E-mail" type="email" autoComplete="username" large />
      <TextField
        control={form.control}
        name="password"
        label="Password"
        type="password"
        autoComplete="current-password"
        large
      />
      <Button type="submit" size="lg" pending={form.formState.isSubmitting} disabled={locked}>
        Sign in
      </Button>
    </form>
  );
}
