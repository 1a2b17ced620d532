import type { SignInOutcome } from '@/components/session/authenticate';
import { explainOutcome } from '@/components/session/refusals';
import { Alert } from '@/components/ui/alert';

/** Explains why a sign-in failed. `left` is the remaining lockout in seconds. A request for a code is not a failure. */
export function OutcomeAlert({ outcome, left }: { outcome: SignInOutcome | null; left: number | null }) {
  const isFailure =
    outcome !== null && outcome.kind !== 'in' && !(outcome.kind === 'code' && outcome.code === 'missing');
  const refusal = isFailure ? explainOutcome(outcome, left) : null;
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
