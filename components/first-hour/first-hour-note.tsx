import { STEP_IDS } from '@/components/first-hour/step-state';
import type { FirstHourState } from '@/components/first-hour/use-first-hour';
import { Button } from '@/components/ui/button';
import { formatCount } from '@/lib/format-number';

/** Button that shows the hidden steps again. Renders nothing if all are done. */
export function FirstHourNote({ state }: { state: FirstHourState }) {
  const left = STEP_IDS.length - state.settled.length;
  if (left === 0) return null;
  return (
    <p className="flex items-center gap-1.5 text-sm text-muted-foreground">
      {formatCount(left, 'first step')} left.
      <Button variant="ghost" size="inline" className="text-primary hover:underline" onClick={state.show}>
        Show {left === 1 ? 'it' : 'them'}
      </Button>
    </p>
  );
}
