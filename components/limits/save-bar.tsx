import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';

/** Stays visible while there are unsaved changes; `children` describe their effect. */
export function SaveBar(props: { pending: boolean; onDiscard: () => void; children?: ReactNode }) {
  return (
    <div className="sticky bottom-4 z-20 flex flex-col gap-2 rounded-lg border bg-popover px-4 py-2.5 shadow-(--shadow-pop)">
      {props.children}
      <div className="flex flex-wrap items-center gap-2">
        <p role="status" className="mr-auto text-sm">
          Unsaved changes
        </p>
        <Button variant="ghost" disabled={props.pending} onClick={props.onDiscard}>
          Discard
        </Button>
        <Button type="submit" pending={props.pending}>
          Save changes
        </Button>
      </div>
    </div>
  );
}
