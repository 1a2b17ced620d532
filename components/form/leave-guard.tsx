import { useEffect } from 'react';
import { Button } from '@/components/ui/button';

/** Makes the browser ask before a reload or close. Navigation inside the console is safe, because drafts are stored. */
export function useLeaveGuard(unsaved: boolean): void {
  useEffect(() => {
    if (!unsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [unsaved]);
}

/** Replaces a dialog's buttons if closing it would discard typed text. */
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
