import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { CallError, call } from '@/components/api/call';
import { CodeField } from '@/components/form/fields/code-field';
import { PasswordField } from '@/components/form/fields/password-field';
import { FormDialog } from '@/components/form/form-dialog';
import { RecoveryCodes } from '@/components/session/recovery-codes';
import { Button } from '@/components/ui/button';
import { Dialog, DialogContent, DialogFrame } from '@/components/ui/dialog';
import { PASSWORD_HINT, PasswordInput } from '@/lib/contract/fields/password';
import { renewRecoveryCodes, turnOffSecondFactor } from '@/lib/contract/second-factor';

const Proof = z.object({
  password: z.string().min(1, 'Enter your password.'),
  code: z.string().trim().min(1, 'Enter the code.'),
  new_password: z.union([z.literal(''), PasswordInput]),
});

const WORDS = {
  off: {
    title: 'Turn off the second factor',
    description: 'Your password alone will be enough to sign in. The recovery codes stop working.',
    submitLabel: 'Turn off',
  },
  renew: {
    title: 'New recovery codes',
    description: 'Your old codes stop working.',
    submitLabel: 'Create new codes',
  },
} as const;

/** Asks for password and code before the second factor is disabled or recovery codes are replaced. */
export function ProveDialog({ kind, onClose }: { kind: keyof typeof WORDS; onClose: () => void }) {
  const form = useForm({ resolver: zodResolver(Proof), defaultValues: { password: '', code: '', new_password: '' } });
  /** True once the server found the password too short to be the only factor. */
  const [needsPassword, setNeedsPassword] = useState(false);
  const turnOff = ({ new_password, ...proof }: z.output<typeof Proof>) =>
    call(turnOffSecondFactor, { body: { ...proof, ...(new_password !== '' && { new_password }) } }).catch((error) => {
      if (error instanceof CallError && error.details.some(({ path }) => path === 'new_password'))
        setNeedsPassword(true);
      throw error;
    });
  return (
    <FormDialog
      form={form}
      {...WORDS[kind]}
      destructive={kind === 'off'}
      draft={false}
      changes="second-factor"
      send={async ({ password, code, new_password }) => {
        if (kind === 'renew')
          return (await call(renewRecoveryCodes, { body: { password, code } })).value.recovery_codes;
        await turnOff({ password, code, new_password });
        return null;
      }}
      done={(codes) =>
        codes === null ? { title: 'The second factor is off' } : { panel: <NewCodes codes={codes} onClose={onClose} /> }
      }
      onClose={onClose}
    >
      <PasswordField control={form.control} name="password" label="Your password" autoComplete="current-password" />
      {needsPassword ? (
        <PasswordField
          control={form.control}
          name="new_password"
          label="New password"
          autoComplete="new-password"
          hint={PASSWORD_HINT}
        />
      ) : null}
      <CodeField control={form.control} name="code" recovery />
    </FormDialog>
  );
}

function NewCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const preventClose = (event: Event) => event.preventDefault();
  return (
    <Dialog open>
      <DialogContent
        aria-describedby={undefined}
        className="[&>button:last-child]:hidden"
        onEscapeKeyDown={preventClose}
        onPointerDownOutside={preventClose}
        onInteractOutside={preventClose}
      >
        <DialogFrame title="New recovery codes" footer={<Button onClick={onClose}>I have stored them</Button>}>
          <RecoveryCodes codes={codes} />
        </DialogFrame>
      </DialogContent>
    </Dialog>
  );
}
