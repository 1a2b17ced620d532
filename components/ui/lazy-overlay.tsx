'use client';

import { Slot } from 'radix-ui';
import { type ComponentProps, type ComponentType, createContext, type ReactNode, use, useState } from 'react';

interface OverlayParts {
  Root: ComponentType<{ open?: boolean; onOpenChange?: (open: boolean) => void; children?: ReactNode }>;
  Trigger: ComponentType<ComponentProps<'button'> & { asChild?: boolean }>;
}

interface Pending {
  open: () => void;
  ahead: () => void;
}

interface State<Parts> {
  parts: Parts | null;
  pending: Pending | null;
}

/**
 * An overlay whose code is fetched on hover or focus of its trigger: most visits never open one. Until then the
 * trigger is a plain button with the right ARIA attributes; afterwards everything is Radix's.
 */
export function lazyOverlay<Parts extends OverlayParts>(load: () => Promise<Parts>, popup: 'menu' | 'dialog') {
  const Context = createContext<State<Parts> | null>(null);

  // biome-ignore lint/correctness/noComponentHookFactories: called at the top of a module, once for each kind
  function Root({ children }: { children: ReactNode }) {
    const [parts, setParts] = useState<Parts | null>(null);
    const [open, setOpen] = useState(false);
    if (parts !== null) {
      return (
        <Context value={{ parts, pending: null }}>
          <parts.Root open={open} onOpenChange={setOpen}>
            {children}
          </parts.Root>
        </Context>
      );
    }
    const pending: Pending = {
      // A fetch that fails leaves the trigger as it is: the next press tries again.
      ahead: () => void load().catch(() => undefined),
      open: () =>
        void load().then(
          (arrived) => {
            setParts(arrived);
            setOpen(true);
          },
          () => undefined,
        ),
    };
    return <Context value={{ parts: null, pending }}>{children}</Context>;
  }

  // biome-ignore lint/correctness/noComponentHookFactories: called at the top of a module, once for each kind
  function Trigger({ asChild, ...props }: ComponentProps<'button'> & { asChild?: boolean }) {
    const state = use(Context);
    if (state === null) return null;
    if (state.parts !== null) return <state.parts.Trigger asChild={asChild} {...props} />;
    if (state.pending === null) return null;
    const Element = asChild ? Slot.Root : 'button';
    const { open, ahead } = state.pending;
    return (
      <Element
        {...(asChild ? {} : { type: 'button' as const })}
        aria-haspopup={popup}
        aria-expanded={false}
        data-state="closed"
        onPointerEnter={ahead}
        onFocus={ahead}
        onClick={open}
        {...props}
      />
    );
  }

  /** Null until the overlay is first opened. */
  // biome-ignore lint/correctness/noComponentHookFactories: called at the top of a module, once for each kind
  function useParts(): Parts | null {
    return use(Context)?.parts ?? null;
  }

  return { Root, Trigger, useParts };
}
