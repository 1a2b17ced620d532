import { useEffect, useRef } from 'react';

/** Elements that open over the page. */
const OVER = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

/**
 * Restores the focus when a dialog closes: to the last focused element of the page, or its list if that element is
 * gone, or the page's content.
 */
export function useFocusReturn(isOpen: boolean): void {
  const before = useRef<{ element: HTMLElement; list: HTMLElement | null } | null>(null);
  useEffect(() => {
    const remember = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement) || target.closest(OVER)) return;
      before.current = { element: target, list: target.closest<HTMLElement>('section[tabindex="0"]') };
    };
    document.addEventListener('focusin', remember);
    return () => document.removeEventListener('focusin', remember);
  }, []);
  useEffect(() => {
    if (!isOpen) return;
    return () => {
      // Runs after the dialog's own attempt.
      setTimeout(() => {
        if (document.activeElement !== null && document.activeElement !== document.body) return;
        const { element, list } = before.current ?? {};
        [element, list, document.getElementById('main')].find((each) => each?.isConnected)?.focus();
      });
    };
  }, [isOpen]);
}
