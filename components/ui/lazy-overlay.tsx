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
  Root: ComponentType<{
    open?: boolean;
    modal?: boolean;
    onOpenChange?: (open: boolean) => void;
    children?: ReactNode;
  }>;
  Trigger: ComponentType<ComponentProps<'button'> & { asChild?: boolean }>;
  Portal: ComponentType<{ children?: ReactNode }>;
  Content: ElementType;
}

/** The loaded parts, and the function that loads them. */
interface Lazy<Parts> {
  parts: Parts | null;
  open: () => void;
  ahead: () => void;
}

/**
 * Overlay whose code loads on hover or focus of its trigger, because most visits never open one. Until then the trigger
 * is a plain button with the right ARIA attributes; afterwards Radix takes over.
 */
export function createLazyOverlay<Parts extends OverlayParts & Record<keyof Parts, ElementType>>(
  load: () => Promise<Parts>,
  popup: 'menu' | 'dialog',
) {
  const Context = createContext<Lazy<Parts> | null>(null);

  // biome-ignore lint/correctness/noComponentHookFactories: called at the top of a module, once for each kind
  function Root({ children }: { children: ReactNode }) {
    const [parts, setParts] = useState<Parts | null>(null);
    const [opened, setOpened] = useState(false);
    // A failed load changes nothing; the next press tries again.
    const loadAhead = () => void load().catch(() => undefined);
    const open = () =>
      void load().then(
        (arrived) => {
          setParts(arrived);
          setOpened(true);
        },
        () => undefined,
      );
    const content = <Context value={{ parts, open, ahead: loadAhead }}>{children}</Context>;
    if (parts === null) return content;
    return (
      <parts.Root open={opened} onOpenChange={setOpened} modal={false}>
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

  /** Renders the part `name` with these classes. Renders nothing until the overlay is first opened. */
  function createPart<Name extends keyof Parts>(name: Name, classes: string): FC<ComponentProps<Parts[Name]>>;
  function createPart(name: keyof Parts, classes: string): FC<{ className?: string }> {
    return ({ className, ...props }) => {
      const Part: ElementType | undefined = use(Context)?.parts?.[name];
      return Part ? <Part className={cn(classes, className)} {...props} /> : null;
    };
  }

  /** Renders the content of the overlay on top of the page, with these classes. */
  function createContent(classes: string): FC<ComponentProps<Parts['Content']>> {
    const Content: ElementType = createPart('Content', classes);
    return (props) => {
      const parts = use(Context)?.parts;
      return parts ? (
        <parts.Portal>
          <Content sideOffset={4} {...props} />
        </parts.Portal>
      ) : null;
    };
  }

  return { Root, Trigger, part: createPart, content: createContent };
}
