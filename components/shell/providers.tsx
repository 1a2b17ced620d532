'use client';

import { ThemeProvider } from 'next-themes';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import type { ReactNode } from 'react';
import { Toaster } from '@/components/ui/toast';

/** Provides theme, URL state and toasts to every page. `nonce` allows the theme's first script to run. */
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
