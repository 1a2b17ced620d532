import { usePathname } from 'next/navigation';
import { type ComponentType, createContext, Fragment, type ReactNode, useCallback, useContext, useState } from 'react';
import { DialogBoundary } from '@/components/shell/dialog-boundary';
import { useFocusReturn } from '@/components/shell/use-focus-return';

export type OpenDialog = (dialog: (onClose: () => void) => ReactNode) => void;

const DialogContext = createContext<OpenDialog | null>(null);

interface DialogProviderProps {
  /** Component around the page and the open dialog, which may open dialogs too. By default there is none. */
  Around?: ComponentType<{ children: ReactNode }>;
  children: ReactNode;
}

/** Holds the open dialog, once for the whole console. It closes when its page changes. */
export function DialogProvider({ Around = Fragment, children }: DialogProviderProps) {
  const pathname = usePathname();
  const [opened, setOpened] = useState<{ pathname: string; dialog: ReactNode } | null>(null);
  useFocusReturn(opened?.pathname === pathname);
  const open = useCallback<OpenDialog>(
    (dialog) => setOpened({ pathname, dialog: dialog(() => setOpened(null)) }),
    [pathname],
  );
  // Returning to the page does not reopen the dialog.
  if (opened !== null && opened.pathname !== pathname) setOpened(null);
  return (
    <DialogContext value={open}>
      <Around>
        {children}
        {opened?.pathname === pathname ? (
          <DialogBoundary onFail={() => setOpened(null)}>{opened.dialog}</DialogBoundary>
        ) : null}
      </Around>
    </DialogContext>
  );
}

/** Returns the function that opens a dialog over the page. Requires the console shell. */
export function useDialog(): OpenDialog {
  const open = useContext(DialogContext);
  if (!open) throw new Error('useDialog is used outside the console.');
  return open;
}
