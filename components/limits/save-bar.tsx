'use client';

import { Button } from '@/components/ui/button';

/** Stays in sight while there are changes that are not saved. */
export function SaveBar({ pending, onDiscard }: { pending: boolean; onDiscard: () => void }) {
  return (
    <div
      role="status"
      className="sticky bottom-4 z-20 flex flex-wrap items-center gap-2 rounded-lg border bg-popover px-4 py-2.5 shadow-(--shadow-pop)"
    >
      <p className="mr-auto text-sm">There are changes that are not saved.</p>
      <Button variant="ghost" disabled={pending} onClick={onDiscard}>
        Discard
      </Button>
      <Button type="submit" pending={pending}>
        Save changes
      </Button>
    </div>
  );
}
