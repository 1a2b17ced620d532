'use client';

import { useTheme } from 'next-themes';
import { useEffect, useState } from 'react';
import type { ExternalToast } from 'sonner';
import { shorten } from '@/components/ui/shorten';

type Sonner = typeof import('@/components/ui/toast-parts');
type Show = (message: string, options?: ExternalToast) => void;

/** Set once the toaster is mounted. */
let announce: (sonner: Sonner) => void = () => undefined;
const ready = new Promise<Sonner>((resolve) => {
  announce = resolve;
});
let load: () => void = () => undefined;

function show(kind: 'message' | 'success' | 'error'): Show {
  return (message, options) => {
    load();
    void ready.then(({ toast }) => toast[kind](shortenWords(message), options));
  };
}

/** Shortens long words, such as identifiers, in the middle. */
function shortenWords(message: string): string {
  return message.replace(/\S{41,}/g, (word) => shorten(word));
}

/** True while a dialog or drawer is open. Radix marks the body then. */
function useModal(): boolean {
  const [modal, setModal] = useState(false);
  useEffect(() => {
    const updateModal = () => setModal(document.body.hasAttribute('data-scroll-locked'));
    const observer = new MutationObserver(updateModal);
    observer.observe(document.body, { attributeFilter: ['data-scroll-locked'] });
    updateModal();
    return () => observer.disconnect();
  }, []);
  return modal;
}

/** Shows a message for a few seconds: `toast(text)`, `toast.success(text)`, `toast.error(text)`. */
export const toast = Object.assign(show('message'), { success: show('success'), error: show('error') });

/** Position above the save bar of a form (`--bottom-bar`). */
const ABOVE_BAR = 'calc(1.25rem + var(--bottom-bar, 0px))';

/**
 * Container of the toasts, never over the buttons of a form, dialog or drawer. Its library loads at the first key or
 * click, before any action can have a result.
 */
export function Toaster() {
  const { resolvedTheme } = useTheme();
  const modal = useModal();
  const [sonner, setSonner] = useState<Sonner | null>(null);
  useEffect(() => {
    load = () => void import('@/components/ui/toast-parts').then(setSonner, () => undefined);
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
    <>
      {modal ? <sonner.RoomForToasts /> : null}
      <sonner.Toaster
        theme={resolvedTheme === 'dark' ? 'dark' : 'light'}
        position={modal ? 'top-left' : 'bottom-right'}
        offset={{ bottom: ABOVE_BAR, top: '3.75rem', left: '0.75rem' }}
        mobileOffset={{ bottom: ABOVE_BAR, top: '0.25rem' }}
        gap={8}
        className="pointer-events-auto"
        toastOptions={{
          classNames: {
            toast:
              '!rounded-lg !border !border-border !bg-popover !text-popover-foreground !shadow-(--shadow-pop) !font-sans !text-sm',
            title: 'break-words',
            description: 'break-words !text-muted-foreground',
            actionButton: '!bg-primary !text-primary-foreground !rounded-sm !h-6',
            cancelButton: '!bg-muted !text-foreground !rounded-sm !h-6',
          },
        }}
      />
    </>
  );
}
