import { wrapWithStyle } from '@/components/ui/cn';

export const Kbd = wrapWithStyle(
  'kbd',
  'inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-xs border bg-background px-1 font-sans text-2xs text-muted-foreground',
);
