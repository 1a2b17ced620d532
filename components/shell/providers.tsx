'use client';

import { ThemeProvider, useTheme } from 'next-themes';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import type { ReactNode } from 'react';
import { Toaster as Sonner } from 'sonner';

/** What every page needs: theme, URL state, toasts. `nonce` lets the theme's first script run. */
export function Providers({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  return (
    <ThemeProvider attribute="class" defaultTheme="system" enableSystem disableTransitionOnChange nonce={nonce}>
      <NuqsAdapter>
        {children}
        <Toaster />
      </NuqsAdapter>
    </ThemeProvider>
  );
}

function Toaster() {
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
