import type { ComponentProps } from 'react';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';

/** Confirms a change that cannot be undone. Loaded at first use. */
export const ConfirmDialog = loadOnDemand(() => import('@/components/form/confirmation'));

/** Opens a `ConfirmDialog` for a change to the resource with this query key. */
export function useConfirm(changes: string) {
  const open = useDialog();
  return (question: Omit<ComponentProps<typeof ConfirmDialog>, 'changes' | 'onClose'>) =>
    open((onClose) => <ConfirmDialog {...question} changes={changes} onClose={onClose} />);
}
