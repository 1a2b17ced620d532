import type { ComponentProps } from 'react';
import { cn, wrapWithStyle } from '@/components/ui/cn';
import { useDenial } from '@/components/ui/denial';

const INPUT =
  'w-full rounded-md border border-input bg-card px-2.5 text-sm transition-colors placeholder:text-muted-foreground/80 disabled:cursor-not-allowed disabled:opacity-60 aria-disabled:cursor-not-allowed aria-disabled:opacity-60 aria-invalid:border-destructive max-sm:text-lg focus-visible:border-ring focus-visible:outline-2 focus-visible:outline-offset-0 focus-visible:outline-ring/40';

export function Input({ className, ...props }: ComponentProps<'input'>) {
  const denied = useDenial(props);
  const classes = cn(INPUT, 'h-8 min-w-0 text-foreground', className);
  if (denied === null) return <input type="text" className={classes} {...props} />;
  return (
    <>
      <input type="text" className={classes} {...props} {...denied.props} readOnly />
      {denied.tip}
    </>
  );
}

export const Textarea = /* @__PURE__ */ wrapWithStyle('textarea', `${INPUT} field-sizing-content min-h-16 py-1.5`);
