import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';

export function DetailList(props: { details: readonly { name: string; value: ReactNode }[]; className?: string }) {
  return (
    <dl className={cn('grid gap-x-6 gap-y-4 text-sm sm:grid-cols-2 lg:grid-cols-4', props.className)}>
      {props.details.map((detail) => (
        <div key={detail.name} className="min-w-0">
          <dt className="text-xs text-muted-foreground">{detail.name}</dt>
          <dd className="mt-0.5 min-w-0 wrap-anywhere tabular-nums">{detail.value}</dd>
        </div>
      ))}
    </dl>
  );
}
