import { useTheme } from 'next-themes';
import { Toaster as Sonner } from 'sonner';

/** Where toasts appear: bottom right, in the colours of the theme. */
export function Toaster() {
  const { resolvedTheme } = useTheme();
  return (
    <Sonner
      theme={resolvedTheme === 'dark' ? 'dark' : 'light'}
      position="bottom-right"
      gap={8}
      toastOptions={{
        classNames: {
          toast:
            '!rounded-lg !border !border-border !bg-popover !text-popover-foreground !shadow-(--shadow-pop) !font-sans !text-sm',
          description: '!text-muted-foreground',
          actionButton: '!bg-primary !text-primary-foreground !rounded-sm !h-6',
        },
      }}
    />
  );
}
