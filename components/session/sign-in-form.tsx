'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { TextField } from '@/components/form/text-field';
import { formatDuration } from '@/components/format/duration';
import { type SignInOutcome, signInWithPassword } from '@/components/session/authenticate';
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

function Refusal({ outcome, left }: { outcome: SignInOutcome; left: number | null }) {
  switch (outcome.kind) {
    case 'in':
      return null;
    case 'wrong':
      return (
        <Alert variant="destructive" title="Sign-in failed">
          Wrong e-mail or password.
        </Alert>
      );
    case 'locked':
      return (
        <Alert variant="warning" title="Too many attempts">
          {left === null
            ? 'Wait a while before you try again.'
            : left > 0
              ? `You can try again in ${left < 120 ? `${left} s` : formatDuration(left)}.`
              : 'You can try again now.'}
        </Alert>
      );
    case 'forbidden':
      return (
        <Alert variant="destructive" title="Sluice refused this page">
          {outcome.reason} Your password was not checked.
        </Alert>
      );
    case 'unreachable':
      return (
        <Alert variant="destructive" title="No response from the server">
          Check your connection, then try again. Nothing you typed is lost.
        </Alert>
      );
    case 'fault':
      return (
        <Alert variant="destructive" title="The server has a problem">
          Your password was not checked. Try again in a moment.
        </Alert>
      );
  }
}

/** E-mail and password. `onSuccess` runs when the session exists. */
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
  const locked = outcome?.kind === 'locked' && left !== null && left > 0;
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <div aria-live="polite" className="empty:hidden">
        {outcome ? <Refusal outcome={outcome} left={left} /> : null}
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
