import type { SignInOutcome } from '@/components/session/authenticate';
import { outcomeText } from '@/components/session/refusals';
import { Alert } from '@/components/ui/alert';

/** Why a sign-in did not succeed. `left`: remaining seconds of a lockout. Asking for a code is no failure. */
export function OutcomeAlert({ outcome, left }: { outcome: SignInOutcome | null; left: number | null }) {
  const isFailure =
    outcome !== null && outcome.kind !== 'in' && !(outcome.kind === 'code' && outcome.code === 'missing');
  const refusal = isFailure ? outcomeText(outcome, left) : null;
  return (
    <div aria-live="polite" className="empty:hidden">
      {refusal ? (
        <Alert variant={outcome?.kind === 'locked' ? 'warning' : 'destructive'} title={refusal.title}>
          {refusal.text}
          {outcome?.kind === 'forbidden' || outcome?.kind === 'fault' ? ' Your password was not checked.' : null}
        </Alert>
      ) : null}
    </div>
  );
}
