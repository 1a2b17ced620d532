'use client';

import type { ComponentProps } from 'react';
import { cn } from '@/components/ui/cn';
import { lazyOverlay } from '@/components/ui/lazy-overlay';
import type * as Parts from '@/components/ui/popover-parts';

const popover = lazyOverlay(() => import('@/components/ui/popover-parts'), 'dialog');

export const Popover = popover.Root;
export const PopoverTrigger = popover.Trigger;

export function PopoverContent({
  className,
  align = 'start',
  sideOffset = 4,
  ...props
}: ComponentProps<typeof Parts.Content>) {
  const parts = popover.useParts();
  if (parts === null) return null;
  return (
    <parts.Portal>
      <parts.Content
        data-slot="popover-content"
        align={align}
        sideOffset={sideOffset}
        className={cn(
          'z-50 w-64 rounded-lg border bg-popover p-1 text-popover-foreground shadow-(--shadow-pop) duration-100 outline-none',
          'data-[state=open]:animate-in data-[state=open]:fade-in-0 data-[state=closed]:animate-out data-[state=closed]:fade-out-0',
          className,
        )}
        {...props}
      />
    </parts.Portal>
  );
}
