import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { CodeField } from '@/components/form/code-field';
import { FormDialog } from '@/components/form/form-dialog';
import { PasswordField } from '@/components/form/password-field';
import { RecoveryCodes } from '@/components/session/recovery-codes';
import { Button } from '@/components/ui/button';
import { Dialog, DialogContent, DialogFrame } from '@/components/ui/dialog';
import { renewRecoveryCodes, turnOffSecondFactor } from '@/lib/contract/second-factor';

const Proof = z.object({
  password: z.string().min(1, 'Enter your password.'),
  code: z.string().trim().min(1, 'Enter the code.'),
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
  const form = useForm({ resolver: zodResolver(Proof), defaultValues: { password: '', code: '' } });
  return (
    <FormDialog
      form={form}
      {...WORDS[kind]}
      destructive={kind === 'off'}
      draft={false}
      changes="second-factor"
      send={async (body) => {
        if (kind === 'renew') return (await call(renewRecoveryCodes, { body })).value.recovery_codes;
        await call(turnOffSecondFactor, { body });
        return null;
      }}
      done={(codes) =>
        codes === null ? { title: 'The second factor is off' } : { panel: <NewCodes codes={codes} onClose={onClose} /> }
      }
      onClose={onClose}
    >
      <PasswordField control={form.control} name="password" label="Your password" autoComplete="current-password" />
      <CodeField control={form.control} name="code" recovery />
    </FormDialog>
  );
}

function NewCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const keep = (event: Event) => event.preventDefault();
  return (
    <Dialog open>
      <DialogContent
        aria-describedby={undefined}
        className="[&>button:last-child]:hidden"
        onEscapeKeyDown={keep}
        onPointerDownOutside={keep}
        onInteractOutside={keep}
      >
        <DialogFrame title="New recovery codes" footer={<Button onClick={onClose}>I have stored them</Button>}>
          <RecoveryCodes codes={codes} />
        </DialogFrame>
      </DialogContent>
    </Dialog>
  );
}
