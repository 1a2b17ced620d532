import type { ComponentProps } from 'react';
import { cn } from '@/components/ui/cn';

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return (
    <textarea
      data-slot="textarea"
      className={cn(
        'field-sizing-content min-h-16 w-full rounded-md border border-input bg-card px-2.5 py-1.5 text-sm transition-colors placeholder:text-muted-foreground/80 disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-destructive max-sm:text-lg',
        'focus-visible:border-ring focus-visible:outline-2 focus-visible:outline-offset-0 focus-visible:outline-ring/40',
        className,
      )}
      {...props}
    />
  );
}
