import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';
import { Link } from '@/components/ui/link';

/** Links to the page of an API key. */
export function KeyLink(props: { id: string; title?: string; className: string; children: ReactNode }) {
  return (
    <Link
      href={`/keys/${props.id}`}
      title={props.title}
      className={cn('rounded-xs underline-offset-4 hover:underline', props.className)}
    >
      {props.children}
    </Link>
  );
}
