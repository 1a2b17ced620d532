import { useQueryClient } from '@tanstack/react-query';
import { call } from '@/components/api/call';
import { showErrorToast } from '@/components/api/explain-error';
import { toast } from '@/components/ui/toast';

/** Time for which a toast offers to undo a change, in milliseconds. */
const OFFERED = 10_000;

interface UndoableChange {
  title: string;
  description?: string;
  /** `auditSeq` of the change. Several changes are undone in the given order. */
  auditSeq: number | readonly number[] | null;
  /** Label of the undo button. */
  undoLabel?: string;
  /** Adds a second button. */
  more?: { label: string; onClick: () => void };
}

/**
 * Undoes changes. `offer` shows a toast with an Undo button. `undo` undoes a change at once, reports the result, and
 * reloads the data on the screen.
 */
export function useUndo() {
  const queries = useQueryClient();
  const undo = async (changes: number | readonly number[]): Promise<void> => {
    try {
      if (typeof changes === 'object') {
        const { undoAll } = await import('@/components/api/undo-all');
        toast.success(await undoAll(changes));
      } else {
        // The contract loads with the first undo, because most pages never undo anything.
        const { undoChange } = await import('@/lib/contract/undo');
        const { value } = await call(undoChange, { params: { seq: String(changes) } });
        toast.success(value.restored);
      }
    } catch (error) {
      showErrorToast(error);
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
