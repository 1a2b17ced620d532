'use client';

import { useControl } from '@/components/oauth/lab-context';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** The row of a control in the matrix. */
export function rowOf(control: string): string {
  return `control-${control}`;
}

/** A control by its id, leading to its row in the matrix. `id` may come from an answer: what is not known is only shown. */
export function ControlLink({ id, onOpen }: { id: string; onOpen: (id: string) => void }) {
  const control = useControl(id);
  const shown = visibleText(id.slice(0, 64));
  const looks = 'inline-flex h-6 items-center rounded-sm border px-1.5 font-mono text-xs';
  if (!control) return <span className={looks}>{shown}</span>;
  return (
    <a
      href={`#${rowOf(id)}`}
      title={control.title}
      className={`${looks} bg-card text-foreground hover:bg-accent`}
      onClick={(event) => {
        event.preventDefault();
        onOpen(id);
      }}
    >
      {shown}
    </a>
  );
}
