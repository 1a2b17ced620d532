import { useQueryClient } from '@tanstack/react-query';
import { call } from '@/components/api/call';
import { toastError } from '@/components/api/explain-error';
import { toast } from '@/components/ui/toast';

/** How long a toast offers to take a change back, in milliseconds. */
const OFFERED = 10_000;

interface UndoableChange {
  title: string;
  description?: string;
  /** `auditSeq` of the change's answer; of several changes, in the order in which they are taken back. */
  auditSeq: number | readonly number[] | null;
  /** What the button says. */
  undoLabel?: string;
  /** A second button. */
  more?: { label: string; onClick: () => void };
}

/**
 * The one way to undo. `offer` tells of a change in a toast with Undo; `undo` takes a change back at once, says what is
 * back or why not, and reloads what is on the screen.
 */
export function useUndo() {
  const queries = useQueryClient();
  const undo = async (changes: number | readonly number[]): Promise<void> => {
    try {
      if (typeof changes === 'object') {
        const { undoAll } = await import('@/components/api/undo-all');
        toast.success(await undoAll(changes));
      } else {
        // Fetched with the first undo: most pages are left without one.
        const { undoChange } = await import('@/lib/contract/undo');
        const { value } = await call(undoChange, { params: { seq: String(changes) } });
        toast.success(value.restored);
      }
    } catch (error) {
      toastError(error);
    }
    await queries.invalidateQueries();
  };
  const offer = ({ title, description, auditSeq, undoLabel = 'Undo', more }: UndoableChange): void => {
    const action = auditSeq === null ? undefined : { label: undoLabel, onClick: () => void undo(auditSeq) };
    toast.success(title, {
      description,
      ...(action || more ? { duration: OFFERED } : {}),
      ...(action ? { action } : {}),
      ...(more ? { cancel: more } : {}),
    });
  };
  return { offer, undo };
}
