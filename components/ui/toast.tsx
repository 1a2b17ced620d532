'use client';

import { useTheme } from 'next-themes';
import { useEffect, useState } from 'react';
import type { ExternalToast } from 'sonner';

type Sonner = typeof import('sonner');
type Show = (message: string, options?: ExternalToast) => void;

/** Set once the toaster is on the page. */
let announce: (sonner: Sonner) => void = () => undefined;
const ready = new Promise<Sonner>((resolve) => {
  announce = resolve;
});
let load: () => void = () => undefined;

function show(kind: 'message' | 'success' | 'error'): Show {
  return (message, options) => {
    load();
    void ready.then(({ toast }) => toast[kind](message, options));
  };
}

/** Shows a message for a few seconds: `toast(text)`, `toast.success(text)`, `toast.error(text)`. */
export const toast = Object.assign(show('message'), { success: show('success'), error: show('error') });

/** Where toasts appear. The library loads at the first key or click, before anything can have a result to show. */
export function Toaster() {
  const { resolvedTheme } = useTheme();
  const [sonner, setSonner] = useState<Sonner | null>(null);
  useEffect(() => {
    load = () => void import('sonner').then(setSonner, () => undefined);
    const listening = new AbortController();
    const options = { once: true, capture: true, passive: true, signal: listening.signal };
    addEventListener('pointerdown', load, options);
    addEventListener('keydown', load, options);
    return () => listening.abort();
  }, []);
  useEffect(() => {
    if (sonner !== null) announce(sonner);
  }, [sonner]);
  if (sonner === null) return null;
  return (
    <sonner.Toaster
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
