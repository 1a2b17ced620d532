import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { FormFault, useApiForm } from '@/components/form/api-form';
import { CodeField } from '@/components/form/fields/code-field';
import { PasswordField } from '@/components/form/fields/password-field';
import { CopyButton } from '@/components/format/copy-button';
import { QrCode } from '@/components/session/qr-code';
import { RecoveryCodes } from '@/components/session/recovery-codes';
import { Button } from '@/components/ui/button';
import { confirmSecondFactor, startSecondFactor } from '@/lib/contract/second-factor';

type Step =
  | { kind: 'password' }
  | { kind: 'app'; secret: string; url: string }
  | { kind: 'codes'; codes: readonly string[] };

/** Sets up a second factor in three steps: password, QR code with a first code, recovery codes. */
export function SetUpSecondFactor({ onDone }: { onDone: () => void }) {
  const [step, setStep] = useState<Step>({ kind: 'password' });
  switch (step.kind) {
    case 'password':
      return <PasswordStep onNext={(secret) => setStep({ kind: 'app', ...secret })} />;
    case 'app':
      return <AppStep {...step} onNext={(codes) => setStep({ kind: 'codes', codes })} />;
    case 'codes':
      return (
        <>
          <p className="text-sm">
            Your second factor is on. Keep these recovery codes where you can reach them without your phone: each lets
            you in once.
          </p>
          <RecoveryCodes codes={step.codes} />
          <Button className="self-start" onClick={onDone}>
            I have stored them
          </Button>
        </>
      );
  }
}

const Password = z.object({ password: z.string().min(1, 'Enter your password.') });

function PasswordStep({ onNext }: { onNext: (secret: { secret: string; url: string }) => void }) {
  const form = useForm({ resolver: zodResolver(Password), defaultValues: { password: '' } });
  const { control, formState, setFocus } = form;
  const { submit, fault } = useApiForm(form, async (body) => onNext((await call(startSecondFactor, { body })).value));
  useEffect(() => setFocus('password'), [setFocus]);
  return (
    <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
      <FormFault error={fault} />
      <PasswordField control={control} name="password" label="Your password" autoComplete="current-password" />
      <Button type="submit" className="self-start" pending={formState.isSubmitting}>
        Continue
      </Button>
    </form>
  );
}

const Code = z.object({ code: z.string().trim().min(1, 'Enter the code that the app shows.') });

interface AppStepProps {
  secret: string;
  url: string;
  onNext: (codes: readonly string[]) => void;
}

function AppStep({ secret, url, onNext }: AppStepProps) {
  const form = useForm({ resolver: zodResolver(Code), defaultValues: { code: '' } });
  const { control, formState, setFocus } = form;
  const { submit, fault } = useApiForm(form, async (body) =>
    onNext((await call(confirmSecondFactor, { body })).value.recovery_codes),
  );
  useEffect(() => setFocus('code'), [setFocus]);
  const typed = secret.match(/.{1,4}/g)?.join(' ') ?? secret;
  return (
    <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
      <FormFault error={fault} />
      <p className="text-sm">
        Scan this with an authenticator app (a password manager, Google Authenticator, Aegis…), then enter the code that
        it shows.
      </p>
      <div className="flex flex-wrap items-center gap-4">
        <QrCode text={url} label="QR code for the authenticator app" />
        <div className="min-w-0 flex-1 basis-40">
          <p className="text-xs text-muted-foreground">Cannot scan? Type this key into the app:</p>
          <div className="mt-1 flex items-start gap-1">
            <code className="font-mono text-xs break-words select-all">{typed}</code>
            <CopyButton value={secret} label="Copy key" />
          </div>
        </div>
      </div>
      <CodeField control={control} name="code" />
      <Button type="submit" className="self-start" pending={formState.isSubmitting}>
        Turn on
      </Button>
    </form>
  );
}
