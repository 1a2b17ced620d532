'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { CodeField } from '@/components/form/fields/code-field';
import { Field } from '@/components/form/fields/field';
import { PasswordField } from '@/components/form/fields/password-field';
import { Timestamp } from '@/components/format/timestamp';
import { type SignInOutcome, signInWithInvitation } from '@/components/session/authenticate';
import { OutcomeAlert } from '@/components/session/outcome-alert';
import { SignInFrame } from '@/components/session/sign-in-frame';
import { useCountdown } from '@/components/session/use-countdown';
import { type LinkState, useInvitationLink } from '@/components/session/use-invitation-link';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/input';
import { Skeleton } from '@/components/ui/skeleton';
import { ROLE_NAMES } from '@/components/vocabulary/roles';
import { PASSWORD_HINT, PasswordInput } from '@/lib/contract/fields/password';

/** @param signedInAs e-mail address of the member who is signed in in this browser */
export function InvitationPanel({ signedInAs }: { signedInAs: string | null }) {
  const { state, retry } = useInvitationLink();
  const title =
    state.kind !== 'open' ? 'Invitation' : state.invitation.resets ? 'Set a new password' : 'You are invited';
  return (
    <SignInFrame title={title}>
      {state.kind === 'loading' ? <Skeleton className="h-48" /> : null}
      {state.kind === 'open' ? <PasswordForm {...state} signedInAs={signedInAs} /> : null}
      {state.kind === 'fault' ? (
        <>
          <Alert variant="destructive" title={state.title}>
            {state.text}
          </Alert>
          <Button onClick={retry}>Try again</Button>
        </>
      ) : null}
      {state.kind === 'missing' ? (
        <UnusableInvitation title="No invitation in this link">
          Open the whole link again. Reloading this page loses it.
        </UnusableInvitation>
      ) : null}
      {state.kind === 'gone' ? <InvitationGoneNote /> : null}
    </SignInFrame>
  );
}

function InvitationGoneNote() {
  return (
    <UnusableInvitation title="This link no longer works">
      It was used, replaced, or is older than 72 hours. If you have set a password with it, sign in. Otherwise ask an
      owner for a new link.
    </UnusableInvitation>
  );
}

function UnusableInvitation({ title, children }: { title: string; children: string }) {
  return (
    <>
      <Alert variant="warning" title={title}>
        {children}
      </Alert>
      <Button asChild variant="outline">
        <a href="/sign-in">Go to sign-in</a>
      </Button>
    </>
  );
}

const NewPassword = z.object({ password: PasswordInput, code: z.string().trim() });

type PasswordFormProps = Extract<LinkState, { kind: 'open' }> & { signedInAs: string | null };

function PasswordForm({ token, invitation, signedInAs }: PasswordFormProps) {
  const { email, role, second_factor: asksCode, expires_at } = invitation;
  const form = useForm({ resolver: zodResolver(NewPassword), defaultValues: { password: '', code: '' } });
  const { control, setFocus } = form;
  const [outcome, setOutcome] = useState<SignInOutcome | null>(null);
  const left = useCountdown(outcome?.kind === 'locked' ? outcome.seconds : null);
  useEffect(() => setFocus('password'), [setFocus]);
  const submit = form.handleSubmit(async (values) => {
    if (asksCode && values.code === '')
      return form.setError('code', { message: 'Enter the code.' }, { shouldFocus: true });
    const result = await signInWithInvitation({ ...values, token });
    setOutcome(result.kind === 'weak' ? null : result);
    if (result.kind === 'in') return window.location.assign('/');
    if (result.kind === 'code') setFocus('code', { shouldSelect: true });
    if (result.kind === 'weak') form.setError('password', { message: result.reason }, { shouldFocus: true });
  });
  if (outcome?.kind === 'gone') return <InvitationGoneNote />;
  return (
    <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
      <OutcomeAlert outcome={outcome} left={left} />
      {signedInAs !== null && signedInAs !== email ? (
        <Alert variant="warning">This browser is signed in as {signedInAs}. That session ends when you continue.</Alert>
      ) : null}
      <Field label="E-mail" hint={`Your role: ${ROLE_NAMES[role]}.`}>
        {(ids) => <Input {...ids} value={email} readOnly autoComplete="username" className="h-9 bg-muted" />}
      </Field>
      <PasswordField
        control={control}
        name="password"
        label="New password"
        autoComplete="new-password"
        hint={PASSWORD_HINT}
        large
      />
      {asksCode ? <CodeField control={control} name="code" recovery large /> : null}
      <Button type="submit" size="lg" pending={form.formState.isSubmitting}>
        Set password and sign in
      </Button>
      <p className="text-xs text-muted-foreground">
        The link works once, until <Timestamp at={expires_at} />.
      </p>
    </form>
  );
}
