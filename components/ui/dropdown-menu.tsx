'use client';

import type { ComponentProps } from 'react';
import { cn } from '@/components/ui/cn';
import type * as Parts from '@/components/ui/dropdown-menu-parts';
import { lazyOverlay } from '@/components/ui/lazy-overlay';

const menu = lazyOverlay(() => import('@/components/ui/dropdown-menu-parts'), 'menu');

export const DropdownMenu = menu.Root;
export const DropdownMenuTrigger = menu.Trigger;

const itemClasses =
  "relative flex min-h-7 cursor-default items-center gap-2 rounded-sm px-2 py-1 text-sm outline-none select-none focus:bg-accent data-[disabled]:pointer-events-none data-[disabled]:opacity-50 [&_svg]:shrink-0 [&_svg:not([class*='size-'])]:size-4 [&_svg:not([class*='text-'])]:text-muted-foreground";

export function DropdownMenuContent({ className, sideOffset = 4, ...props }: ComponentProps<typeof Parts.Content>) {
  const parts = menu.useParts();
  if (parts === null) return null;
  return (
    <parts.Portal>
      <parts.Content
        data-slot="dropdown-menu-content"
        sideOffset={sideOffset}
        className={cn(
          'z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-y-auto rounded-lg border bg-popover p-1 text-popover-foreground shadow-(--shadow-pop) duration-100',
          'data-[state=open]:animate-in data-[state=open]:fade-in-0 data-[state=closed]:animate-out data-[state=closed]:fade-out-0',
          className,
        )}
        {...props}
      />
    </parts.Portal>
  );
}

export function DropdownMenuItem({
  className,
  destructive,
  ...props
}: ComponentProps<typeof Parts.Item> & { destructive?: boolean }) {
  const parts = menu.useParts();
  if (parts === null) return null;
  return (
    <parts.Item
      data-slot="dropdown-menu-item"
      className={cn(
        itemClasses,
        destructive &&
          "text-destructive-text focus:bg-destructive-soft [&_svg:not([class*='text-'])]:text-destructive-text",
        className,
      )}
      {...props}
    />
  );
}

export function DropdownMenuLabel({ className, ...props }: ComponentProps<typeof Parts.Label>) {
  const parts = menu.useParts();
  if (parts === null) return null;
  return <parts.Label className={cn('px-2 py-1.5 text-xs text-muted-foreground', className)} {...props} />;
}

export function DropdownMenuSeparator({ className, ...props }: ComponentProps<typeof Parts.Separator>) {
  const parts = menu.useParts();
  if (parts === null) return null;
  return <parts.Separator className={cn('-mx-1 my-1 h-px bg-border', className)} {...props} />;
}
