import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';

const PREFIX = 'control-';

/** Returns the id of a finding's row. With `#` it is the row's link. */
export const buildFindingId = (control: string) => `${PREFIX}${control}`;

/** Returns the control that the URL fragment names, or null. */
export function readControl(): string | null {
  const id = window.location.hash.slice(1);
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : null;
}

/** Links to the finding of a control on the same page and expands it. */
export function FindingLink(props: { control: string; className?: string; children: ReactNode }) {
  return (
    <a
      href={`#${buildFindingId(props.control)}`}
      className={cn(
        'rounded-xs underline decoration-border underline-offset-3 hover:decoration-current',
        props.className,
      )}
    >
      {props.children}
    </a>
  );
}
