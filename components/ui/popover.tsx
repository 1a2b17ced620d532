import { createLazyOverlay } from '@/components/ui/lazy-overlay';

const popover = createLazyOverlay(() => import('@/components/ui/popover-parts'), 'dialog');

export const Popover = popover.Root;
export const PopoverTrigger = popover.Trigger;
export const PopoverContent = popover.content(
  'z-50 w-64 rounded-lg border bg-popover p-1 text-popover-foreground shadow-(--shadow-pop) duration-100 outline-none data-[state=open]:animate-in data-[state=open]:fade-in-0 data-[state=closed]:animate-out data-[state=closed]:fade-out-0',
);
