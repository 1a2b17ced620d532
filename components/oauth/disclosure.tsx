'use client';

import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { cn } from '@/components/ui/cn';

/** A line that opens to more. What is inside is only made when it is open. */
export function Disclosure({
  id,
  title,
  open: given,
  onOpenChange,
  defaultOpen = false,
  className,
  children,
}: {
  /** Where a link can lead to. */
  id?: string;
  title: ReactNode;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  defaultOpen?: boolean;
  className?: string;
  children: ReactNode;
}) {
  const own = useId();
  const [kept, setKept] = useState(defaultOpen);
  const open = given ?? kept;
  return (
    <div id={id} className={cn('scroll-mt-16', className)}>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? own : undefined}
        onClick={() => (onOpenChange ?? setKept)(!open)}
        className="flex w-full items-start gap-2 rounded-md px-1.5 py-1.5 text-left text-sm hover:bg-accent focus-visible:-outline-offset-2"
      >
        <ChevronRight
          aria-hidden
          className={cn('mt-0.5 size-4 shrink-0 text-muted-foreground transition-transform', open && 'rotate-90')}
        />
        <span className="min-w-0 flex-1">{title}</span>
      </button>
      {open ? (
        <div id={own} className="pt-1 pb-3 pl-7.5 max-sm:pl-1.5">
          {children}
        </div>
      ) : null}
    </div>
  );
}
