import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';

/** A box that scrolls and can be reached with the keyboard. */
export function ScrollBox({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
      tabIndex={0}
      className={cn('overflow-auto rounded-md border focus-visible:-outline-offset-1', className)}
    >
      {children}
    </div>
  );
}
