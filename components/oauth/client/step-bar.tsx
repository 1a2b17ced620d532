import { CircleCheck, CircleX } from 'lucide-react';
import { useClient } from '@/components/oauth/client/use-client';
import { cn } from '@/components/ui/cn';
import { CLIENT_STEP_NAMES, CLIENT_STEPS, type ClientStep } from '@/lib/oauth/client/client-step';

/** The steps of a flow, with what came of each. */
export function StepBar() {
  const { state, dispatch } = useClient();
  const { entries, environment } = state;
  const steps = CLIENT_STEP_NAMES.filter((name) => name !== 'par' || environment.par);
  return (
    <nav aria-label="Steps">
      <ol className="flex flex-wrap gap-1.5">
        {steps.map((name) => {
          const last = entries.findLast((entry) => entry.step === name);
          const failed = last?.checks.some(({ outcome }) => outcome === 'failed');
          return (
            <li key={name}>
              <button
                type="button"
                aria-current={name === state.step ? 'step' : undefined}
                onClick={() => dispatch({ type: 'step', step: name satisfies ClientStep })}
                className={cn(
                  'inline-flex h-8 items-center gap-1.5 rounded-md border bg-card px-2.5 text-sm transition-colors hover:bg-accent',
                  name === state.step && 'border-primary bg-primary-soft font-medium',
                )}
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
