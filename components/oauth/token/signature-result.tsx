import { ShieldAlert, ShieldCheck, ShieldQuestion } from 'lucide-react';
import { CitedText } from '@/components/format/cited-text';
import { Alert } from '@/components/ui/alert';
import { cn } from '@/components/ui/cn';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';
import type { SignatureFinding } from '@/lib/oauth/token/verify-signature';

const STATES = {
  verified: { icon: ShieldCheck, title: 'Verified', looks: 'bg-success-soft text-success-text' },
  invalid: { icon: ShieldAlert, title: 'Not valid', looks: 'bg-destructive-soft text-destructive-text' },
  unverified: { icon: ShieldQuestion, title: 'Not checked', looks: 'bg-muted text-foreground' },
} as const;

const NO_KEY: SignatureFinding = {
  state: 'unverified',
  reason: 'Give a key to verify it.',
  choice: null,
  warnings: [],
  weakness: null,
};

/**
 * Shows whether a signature is valid, with which key, and what is risky about it. A null finding means that no key is
 * available.
 */
export function SignatureResult({ finding }: { finding: SignatureFinding | null }) {
  const { state, reason, choice, warnings } = finding ?? NO_KEY;
  const { icon: Icon, title, looks } = STATES[state];
  return (
    <>
      <div className={cn('flex items-start gap-2.5 rounded-md px-3 py-2 text-sm', looks)}>
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
        <p className="min-w-0 wrap-anywhere">
          <span className="font-medium">{title}.</span> <CitedText>{escapeInvisibleCharacters(reason)}</CitedText>
        </p>
      </div>
      {choice === null ? null : (
        <p className="text-xs text-muted-foreground">
          <CitedText>{choice}</CitedText>
        </p>
      )}
      {warnings.map((warning) => (
        <Alert key={warning} variant={state === 'invalid' ? 'destructive' : 'warning'}>
          <CitedText>{warning}</CitedText>
        </Alert>
      ))}
    </>
  );
}
