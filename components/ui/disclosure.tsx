import { ChevronRight } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { cn } from '@/components/ui/cn';

/** Tracks which disclosures are open, by name. `bind` returns the props of one. */
export function useOpenSet() {
  const [names, setNames] = useState<ReadonlySet<string>>(new Set());
  const setOpen = (name: string, open: boolean) =>
    setNames((before) => new Set(open ? [...before, name] : [...before].filter((other) => other !== name)));
  const bind = (name: string) => ({ open: names.has(name), onOpenChange: (open: boolean) => setOpen(name, open) });
  return { bind, setOpen };
}
export type OpenSet = ReturnType<typeof useOpenSet>;

type DisclosureProps = Partial<ReturnType<OpenSet['bind']>> &
  Pick<ComponentProps<'div'>, 'id' | 'className' | 'children'> & {
    title: ReactNode;
    initiallyOpen?: boolean | undefined;
  };

/** Line that expands. Its content renders only while open. It keeps its own state unless `open` is given. */
export function Disclosure(props: DisclosureProps) {
  const { id, title, open: controlledOpen, onOpenChange, initiallyOpen = false, className, children } = props;
  const contentId = useId();
  const [ownOpen, setOwnOpen] = useState(initiallyOpen);
  const open = controlledOpen ?? ownOpen;
  return (
    <div id={id} className={cn('scroll-mt-16', className)}>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? contentId : undefined}
        onClick={() => (onOpenChange ?? setOwnOpen)(!open)}
        className="flex w-full items-start gap-2 rounded-md px-1.5 py-1.5 text-left text-sm hover:bg-accent focus-visible:-outline-offset-2"
      >
        <ChevronRight
          aria-hidden
          className={cn('mt-0.5 size-4 shrink-0 text-muted-foreground transition-transform', open && 'rotate-90')}
        />
        <span className="min-w-0 flex-1">{title}</span>
      </button>
      {open ? (
        <div id={contentId} className="pt-1 pb-3 pl-7.5 max-sm:pl-1.5">
          {children}
        </div>
      ) : null}
    </div>
  );
}
