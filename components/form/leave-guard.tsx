import { useEffect } from 'react';
import { Button } from '@/components/ui/button';

/** Lets the browser ask before the page is reloaded or closed. Moving within the console is not leaving: drafts are kept. */
export function useLeaveGuard(unsaved: boolean): void {
  useEffect(() => {
    if (!unsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [unsaved]);
}

/** Stands in place of a dialog's buttons when it would close over something typed. */
export function DiscardQuestion({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }) {
  return (
    <>
      <p role="alert" className="mr-auto text-sm">
        Discard what you typed?
      </p>
      <Button variant="ghost" autoFocus onClick={onKeep}>
        Keep editing
      </Button>
      <Button variant="destructive" onClick={onDiscard}>
        Discard
      </Button>
    </>
  );
}
