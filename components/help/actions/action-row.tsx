import { ChevronDown, ChevronRight, type LucideIcon } from 'lucide-react';
import Link from 'next/link';
import { type ReactNode, useId } from 'react';
import { cn } from '@/components/ui/cn';

const ROW = 'flex w-full items-center gap-3 px-3 py-2.5 text-left text-sm transition-colors hover:bg-accent';

interface RowText {
  icon: LucideIcon;
  title: string;
  text: string;
}

function RowContent({ icon: Icon, title, text }: RowText) {
  return (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
      <span className="min-w-0 flex-1">
        <span className="block font-medium">{title}</span>
        <span className="block text-xs text-muted-foreground">{text}</span>
      </span>
    </>
  );
}

export interface RowState {
  open: boolean;
  disabled: boolean;
  onToggle: () => void;
}

/** An action of the drawer that opens to its form. */
export function ActionRow({
  open,
  disabled,
  onToggle,
  children,
  ...text
}: RowText & RowState & { children: ReactNode }) {
  const id = useId();
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        disabled={disabled}
        onClick={onToggle}
        className={cn(ROW, 'disabled:pointer-events-none disabled:opacity-60')}
      >
        <RowContent {...text} />
        <ChevronDown
          aria-hidden
          className={cn('size-4 shrink-0 text-muted-foreground transition-transform', open && 'rotate-180')}
        />
      </button>
      {open ? <div id={id}>{children}</div> : null}
    </li>
  );
}

/** An action of the drawer that is another page. */
export function ActionLink({ href, ...text }: RowText & { href: string }) {
  return (
    <li>
      <Link href={href} prefetch={false} className={ROW}>
        <RowContent {...text} />
        <ChevronRight aria-hidden className="size-4 shrink-0 text-muted-foreground" />
      </Link>
    </li>
  );
}
