import type { ComponentProps } from 'react';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';

const ReasonDialog = loadOnDemand(() => import('@/components/form/reason-dialog'));

/** Asks for a reason before a change that takes access away. `changes` is the query key of the resource. */
export function useReasonDialog(changes: string | readonly string[]) {
  const open = useDialog();
  return (question: Omit<ComponentProps<typeof ReasonDialog>, 'changes' | 'onClose'>) =>
    open((onClose) => <ReasonDialog {...question} changes={changes} onClose={onClose} />);
}
