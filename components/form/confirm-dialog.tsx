import dynamic from 'next/dynamic';
import type { ComponentProps } from 'react';
import { useDialog } from '@/components/shell/dialogs';

/** Asks before a change that cannot be undone. Fetched when it is first needed. */
export const ConfirmDialog = dynamic(() => import('@/components/form/confirmation'), { ssr: false });

/** Opens a `ConfirmDialog` for a change of the resource with this query key. */
export function useConfirm(changes: string) {
  const open = useDialog();
  return (question: Omit<ComponentProps<typeof ConfirmDialog>, 'changes' | 'onClose'>) =>
    open((onClose) => <ConfirmDialog {...question} changes={changes} onClose={onClose} />);
}
