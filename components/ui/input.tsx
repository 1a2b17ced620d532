import type { ComponentProps } from 'react';
import { cn } from '@/components/ui/cn';

export function Input({ className, type = 'text', ...props }: ComponentProps<'input'>) {
  return (
    <input
      data-slot="input"
      type={type}
      className={cn(
        'h-8 w-full min-w-0 rounded-md border border-input bg-card px-2.5 text-sm text-foreground transition-colors placeholder:text-muted-foreground/80 disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-destructive max-sm:text-lg',
        'focus-visible:border-ring focus-visible:outline-2 focus-visible:outline-offset-0 focus-visible:outline-ring/40',
        className,
      )}
      {...props}
    />
  );
}
