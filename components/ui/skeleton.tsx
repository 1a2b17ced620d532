import { wrapWithStyle } from '@/components/ui/cn';

export const Skeleton = wrapWithStyle('div', 'animate-pulse rounded-sm bg-foreground/[0.07]', {
  'data-slot': 'skeleton',
  'aria-hidden': true,
});
