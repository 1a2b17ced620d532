import type { VariantProps } from 'class-variance-authority';
import { Loader2 } from 'lucide-react';
import { Slot } from 'radix-ui';
import type { ComponentProps } from 'react';
import { buttonVariants } from '@/components/ui/button-variants';
import { cn } from '@/components/ui/cn';
import { useDenial } from '@/components/ui/denial';

interface ButtonProps extends ComponentProps<'button'>, VariantProps<typeof buttonVariants> {
  asChild?: boolean;
  pending?: boolean;
}

export function Button(props: ButtonProps) {
  const { className, variant, size, asChild, pending, disabled, ...rest } = props;
  const classes = cn(buttonVariants({ variant, size }), className);
  const denied = useDenial(rest);
  if (asChild) return <Slot.Root className={classes} {...rest} />;
  if (denied) {
    return (
      <>
        <button {...rest} {...denied.props} type="button" className={cn('cursor-not-allowed!', classes)}>
          {rest.children}
        </button>
        {denied.tip}
      </>
    );
  }
  return (
    <button type="button" className={classes} disabled={disabled || pending} aria-busy={pending || undefined} {...rest}>
      {pending ? <Loader2 aria-hidden className="animate-spin" /> : null}
      {rest.children}
    </button>
  );
}
