import { Slot } from 'radix-ui';
import {
  type ComponentProps,
  type ComponentType,
  createContext,
  type ElementType,
  type FC,
  type ReactNode,
  use,
  useState,
} from 'react';
import { cn } from '@/components/ui/cn';

interface OverlayParts {
  Root: ComponentType<{ open?: boolean; onOpenChange?: (open: boolean) => void; children?: ReactNode }>;
  Trigger: ComponentType<ComponentProps<'button'> & { asChild?: boolean }>;
  Portal: ComponentType<{ children?: ReactNode }>;
  Content: ElementType;
}

/** The parts once they are fetched, else what fetches them. */
type State<Parts> = { parts: Parts } | { open: () => void; ahead: () => void };

/**
 * An overlay whose code is fetched on hover or focus of its trigger: most visits never open one. Until then the
 * trigger is a plain button with the right ARIA attributes; afterwards everything is Radix's.
 */
export function lazyOverlay<Parts extends OverlayParts & Record<keyof Parts, ElementType>>(
  load: () => Promise<Parts>,
  popup: 'menu' | 'dialog',
) {
  const Context = createContext<State<Parts> | null>(null);

  // biome-ignore lint/correctness/noComponentHookFactories: called at the top of a module, once for each kind
  function Root({ children }: { children: ReactNode }) {
    const [parts, setParts] = useState<Parts | null>(null);
    const [open, setOpen] = useState(false);
    if (parts !== null) {
      return (
        <Context value={{ parts }}>
          <parts.Root open={open} onOpenChange={setOpen}>
            {children}
          </parts.Root>
        </Context>
      );
    }
    // A fetch that fails leaves the trigger as it is: the next press tries again.
    const ahead = () => void load().catch(() => undefined);
    const fetchAndOpen = () =>
      void load().then(
        (arrived) => {
          setParts(arrived);
          setOpen(true);
        },
        () => undefined,
      );
    return <Context value={{ ahead, open: fetchAndOpen }}>{children}</Context>;
  }

  // biome-ignore lint/correctness/noComponentHookFactories: called at the top of a module, once for each kind
  function Trigger({ asChild, ...props }: ComponentProps<'button'> & { asChild?: boolean }) {
    const state = use(Context);
    if (state === null) return null;
    if ('parts' in state) return <state.parts.Trigger asChild={asChild} {...props} />;
    const { open, ahead } = state;
    const Element = asChild ? Slot.Root : 'button';
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

  // biome-ignore lint/correctness/noComponentHookFactories: called at the top of a module, once for each kind
  function useParts(): Parts | null {
    const state = use(Context);
    return state && 'parts' in state ? state.parts : null;
  }

  /** The part `name` with these classes; nothing until the overlay is first opened. */
  function part<Name extends keyof Parts>(name: Name, classes: string): FC<ComponentProps<Parts[Name]>>;
  function part(name: keyof Parts, classes: string): FC<{ className?: string }> {
    return ({ className, ...props }) => {
      const parts = useParts();
      if (parts === null) return null;
      const Part: ElementType = parts[name];
      return <Part className={cn(classes, className)} {...props} />;
    };
  }

  /** What opens, with these classes, on top of the page. */
  function content(classes: string): FC<ComponentProps<Parts['Content']>> {
    const Content: ElementType = part('Content', classes);
    return (props) => {
      const parts = useParts();
      return parts ? (
        <parts.Portal>
          <Content sideOffset={4} {...props} />
        </parts.Portal>
      ) : null;
    };
  }

  return { Root, Trigger, part, content };
}
