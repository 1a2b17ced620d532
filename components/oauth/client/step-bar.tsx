import { CircleCheck, CircleX } from 'lucide-react';
import { useClient } from '@/components/oauth/client/use-client';
import { cn } from '@/components/ui/cn';
import { CLIENT_STEP_NAMES, CLIENT_STEPS } from '@/lib/oauth/client/client-step';
import { explainSkip } from '@/lib/oauth/client/why-skipped';

/** Lists the steps of a flow with their results. */
export function StepBar() {
  const { state, dispatch, metadata } = useClient();
  const { entries, environment } = state;
  const steps = CLIENT_STEP_NAMES.filter((name) => name !== 'par' || environment.par);
  return (
    <nav aria-label="Steps">
      <ol className="flex flex-wrap gap-1.5">
        {steps.map((name) => {
          const last = entries.findLast((entry) => entry.step === name);
          const skipped = explainSkip(name, environment, metadata);
          const failed = last?.checks.some(({ outcome }) => outcome === 'failed');
          return (
            <li key={name}>
              <button
                type="button"
                aria-current={name === state.step ? 'step' : undefined}
                onClick={() => dispatch({ type: 'step', step: name })}
                className={cn(
                  'inline-flex h-8 items-center gap-1.5 rounded-md border bg-card px-2.5 text-sm transition-colors hover:bg-accent',
                  skipped !== null && 'border-dashed bg-transparent text-muted-foreground',
                  name === state.step && 'border-primary bg-primary-soft font-medium text-foreground',
                )}
                title={skipped ?? undefined}
              >
                {last === undefined ? null : failed ? (
                  <CircleX aria-label="failed:" className="size-4 text-destructive-text" />
                ) : (
                  <CircleCheck aria-label="succeeded:" className="size-4 text-success-text" />
                )}
                {CLIENT_STEPS[name].label}
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
