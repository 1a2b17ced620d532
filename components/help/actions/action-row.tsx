import { ChevronDown, ChevronRight, type LucideIcon } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { cn } from '@/components/ui/cn';
import { useDenial } from '@/components/ui/denial';
import { Link } from '@/components/ui/link';

const ROW =
  'flex w-full items-center gap-3 px-3 py-2.5 text-left text-sm transition-colors hover:bg-accent focus-visible:-outline-offset-2';

const DENIED = 'aria-disabled:cursor-not-allowed aria-disabled:opacity-60';

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
  onToggle: () => void;
}

/** Action of the drawer that expands to its form. */
export function ActionRow({ open, onToggle, children, ...text }: RowText & RowState & { children: ReactNode }) {
  const id = useId();
  const denied = useDenial({});
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={onToggle}
        className={cn(ROW, DENIED)}
        {...denied?.props}
      >
        <RowContent {...text} />
        <ChevronDown
          aria-hidden
          className={cn('size-4 shrink-0 text-muted-foreground transition-transform', open && 'rotate-180')}
        />
      </button>
      {denied?.tip}
      {open && !denied ? <div id={id}>{children}</div> : null}
    </li>
  );
}

/** Action of the drawer that links to another page. */
export function ActionLink({ href, ...text }: RowText & { href: string }) {
  return (
    <li>
      <Link href={href} className={ROW}>
        <RowContent {...text} />
        <ChevronRight aria-hidden className="size-4 shrink-0 text-muted-foreground" />
      </Link>
    </li>
  );
}

/** Action of the drawer that opens a dialog. */
export function ActionButton({ onClick, ...text }: RowText & { onClick: () => void }) {
  const denied = useDenial({});
  return (
    <li>
      <button type="button" onClick={onClick} className={cn(ROW, DENIED)} {...denied?.props}>
        <RowContent {...text} />
        <ChevronRight aria-hidden className="size-4 shrink-0 text-muted-foreground" />
      </button>
      {denied?.tip}
    </li>
  );
}
