import { useEffect, useRef } from 'react';

/** What opens and closes over the page. */
const OVER = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

/**
 * Puts the focus back when a dialog closes: on what had it on the page, which may be the trigger of a menu that is gone,
 * else on its list, where a row was removed with it, else on the page's content.
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
      // After the dialog has tried itself.
      setTimeout(() => {
        if (document.activeElement !== null && document.activeElement !== document.body) return;
        const { element, list } = before.current ?? {};
        [element, list, document.getElementById('main')].find((each) => each?.isConnected)?.focus();
      });
    };
  }, [isOpen]);
}
