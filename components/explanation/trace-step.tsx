import { Check, Minus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';

const LOOKS = {
  passes: { icon: Check, name: 'passes', classes: 'bg-success-soft text-success-text' },
  refuses: { icon: X, name: 'refuses', classes: 'bg-destructive-soft text-destructive-text' },
  skipped: { icon: Minus, name: 'skipped', classes: 'bg-muted text-muted-foreground' },
  fact: { icon: null, name: null, classes: 'bg-muted' },
} as const;

type StepState = keyof typeof LOOKS;

interface TraceStepProps {
  state: StepState;
  title: ReactNode;
  /** Shown right of the title. */
  aside?: ReactNode;
  children?: ReactNode;
}

/** Renders one step of an explanation. A line connects it to the next. */
export function TraceStep({ state, title, aside, children }: TraceStepProps) {
  const { icon: Icon, name, classes } = LOOKS[state];
  return (
    <li className="group relative flex gap-3 pb-4 last:pb-0">
      <span
        aria-hidden
        className="absolute top-6 bottom-0 left-2.5 w-px -translate-x-1/2 bg-border group-last:hidden"
      />
      <span className={cn('relative mt-px flex size-5 shrink-0 items-center justify-center rounded-full', classes)}>
        {Icon ? (
          <Icon aria-hidden className="size-3" strokeWidth={2.5} />
        ) : (
          <span className="size-1.5 rounded-full bg-muted-foreground" />
        )}
        {name ? <span className="sr-only">{name}: </span> : null}
      </span>
      <div className={cn('min-w-0 flex-1 text-sm', state === 'skipped' && 'text-muted-foreground')}>
        <div className="flex flex-wrap items-baseline justify-between gap-x-3">
          <p className="min-w-0 font-medium">{title}</p>
          {aside ? <p className="text-muted-foreground tabular-nums">{aside}</p> : null}
        </div>
        {children ? <div className="mt-0.5 flex flex-col gap-1 text-xs text-muted-foreground">{children}</div> : null}
      </div>
    </li>
  );
}
