import type { ComponentProps } from 'react';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';

const ReasonDialog = loadOnDemand(() => import('@/components/form/reason-dialog'));

type Question = Omit<ComponentProps<typeof ReasonDialog>, 'changes' | 'onClose'>;

/** Asks for a reason before a change that takes access away. `changes` is the query key of the resource. */
export function useReasonDialog(changes: string | readonly string[]) {
  const open = useDialog();
  return (question: Question) => open((onClose) => <ReasonDialog {...question} changes={changes} onClose={onClose} />);
}

/** Creates the dialog of an action that asks only for a reason. */
export function createReasonDialog<Row>(changes: string | readonly string[], ask: (row: Row) => Question) {
  return (row: Row, onClose: () => void) => <ReasonDialog {...ask(row)} changes={changes} onClose={onClose} />;
}
