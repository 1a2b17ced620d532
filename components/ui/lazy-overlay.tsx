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

/** The parts, once they are fetched, and what fetches them. */
interface Lazy<Parts> {
  parts: Parts | null;
  open: () => void;
  ahead: () => void;
}

/**
 * An overlay whose code is fetched on hover or focus of its trigger: most visits never open one. Until then the
 * trigger is a plain button with the right ARIA attributes; afterwards everything is Radix's.
 */
export function lazyOverlay<Parts extends OverlayParts & Record<keyof Parts, ElementType>>(
  load: () => Promise<Parts>,
  popup: 'menu' | 'dialog',
) {
  const Context = createContext<Lazy<Parts> | null>(null);

  // biome-ignore lint/correctness/noComponentHookFactories: called at the top of a module, once for each kind
  function Root({ children }: { children: ReactNode }) {
    const [parts, setParts] = useState<Parts | null>(null);
    const [opened, setOpened] = useState(false);
    // A fetch that fails leaves the trigger as it is: the next press tries again.
    const ahead = () => void load().catch(() => undefined);
    const open = () =>
      void load().then(
        (arrived) => {
          setParts(arrived);
          setOpened(true);
        },
        () => undefined,
      );
    const content = <Context value={{ parts, open, ahead }}>{children}</Context>;
    if (parts === null) return content;
    return (
      <parts.Root open={opened} onOpenChange={setOpened}>
        {content}
      </parts.Root>
    );
  }

  // biome-ignore lint/correctness/noComponentHookFactories: called at the top of a module, once for each kind
  function Trigger({ asChild, ...props }: ComponentProps<'button'> & { asChild?: boolean }) {
    const lazy = use(Context);
    if (lazy === null) return null;
    if (lazy.parts) return <lazy.parts.Trigger asChild={asChild} {...props} />;
    const Element = asChild ? Slot.Root : 'button';
    return (
      <Element
        {...(asChild ? {} : { type: 'button' as const })}
        aria-haspopup={popup}
        aria-expanded={false}
        data-state="closed"
        onPointerEnter={lazy.ahead}
        onFocus={lazy.ahead}
        onClick={lazy.open}
        {...props}
      />
    );
  }

  /** The part `name` with these classes; nothing until the overlay is first opened. */
  function part<Name extends keyof Parts>(name: Name, classes: string): FC<ComponentProps<Parts[Name]>>;
  function part(name: keyof Parts, classes: string): FC<{ className?: string }> {
    return ({ className, ...props }) => {
      const Part: ElementType | undefined = use(Context)?.parts?.[name];
      return Part ? <Part className={cn(classes, className)} {...props} /> : null;
    };
  }

  /** What opens, with these classes, on top of the page. */
  function content(classes: string): FC<ComponentProps<Parts['Content']>> {
    const Content: ElementType = part('Content', classes);
    return (props) => {
      const parts = use(Context)?.parts;
      return parts ? (
        <parts.Portal>
          <Content sideOffset={4} {...props} />
        </parts.Portal>
      ) : null;
    };
  }

  return { Root, Trigger, part, content };
}
