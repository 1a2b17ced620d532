import { useQueryClient } from '@tanstack/react-query';
import { call } from '@/components/call';
import { toastError } from '@/components/explain-error';
import { toast } from '@/components/ui/toast';

/** How long a toast offers to take a change back, in milliseconds. */
const OFFERED = 10_000;

interface UndoableChange {
  title: string;
  description?: string;
  /** `auditSeq` of the change's answer. */
  auditSeq: number | null;
}

/**
 * The one way to undo. `offer` tells of a change in a toast with Undo; `undo` takes a change back at once, says what is
 * back or why not, and reloads what is on the screen.
 */
export function useUndo() {
  const queries = useQueryClient();
  const undo = async (seq: number): Promise<void> => {
    try {
      // Fetched with the first undo: most pages are left without one.
      const { undoChange } = await import('@/lib/contract/undo');
      const { value } = await call(undoChange, { params: { seq: String(seq) } });
      toast.success(value.restored);
    } catch (error) {
      toastError(error);
    }
    await queries.invalidateQueries();
  };
  const offer = ({ title, description, auditSeq }: UndoableChange): void => {
    const action = auditSeq === null ? undefined : { label: 'Undo', onClick: () => void undo(auditSeq) };
    toast.success(title, { description, ...(action ? { duration: OFFERED, action } : {}) });
  };
  return { offer, undo };
}
