import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';

const PREFIX = 'control-';

/** The id of a finding's row, and with `#` its address in the report. */
export const findingId = (control: string) => `${PREFIX}${control}`;

/** The control that the address of this page points at, if any. */
export function controlOfAddress(): string | null {
  const id = window.location.hash.slice(1);
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : null;
}

/** Leads to the finding of a control on the same page, and opens it. */
export function FindingLink(props: { control: string; className?: string; children: ReactNode }) {
  return (
    <a
      href={`#${findingId(props.control)}`}
      className={cn(
        'rounded-xs underline decoration-border underline-offset-3 hover:decoration-current',
        props.className,
      )}
    >
      {props.children}
    </a>
  );
}
