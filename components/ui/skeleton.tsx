import type { ComponentProps } from 'react';
import { cn } from '@/components/ui/cn';

export function Skeleton({ className, ...props }: ComponentProps<'div'>) {
  return (
    <div
      data-slot="skeleton"
      aria-hidden
      className={cn('animate-pulse rounded-sm bg-foreground/[0.07]', className)}
      {...props}
    />
  );
}
