import { useRouter } from 'next/navigation';
import { useEffect, useRef } from 'react';
import { PAGES } from '@/components/shell/navigation';
import { hasShortcuts } from '@/components/shell/shortcut-setting';

/** Time for which `g` waits for its second key, in milliseconds. */
const PATIENCE = 1_500;

/** Elements where a key is text or moves within an open menu, list or dialog. */
const TAKEN =
  'input, textarea, select, [contenteditable="true"], [role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"], [role="slider"]';

interface Actions {
  /** True if this installation has the OAuth lab and its pages. */
  lab: boolean;
  /** Opens or closes the palette. */
  palette: () => void;
  /** Opens the list of shortcuts. */
  list: () => void;
  /** Opens the dialog that starts or changes an incident. */
  incident: () => void;
}

/** Returns the page for `g` and a key. */
function findPage(key: string, lab: boolean): string | undefined {
  return PAGES.find((page) => page.key === key && (lab || !page.lab))?.href;
}

/** Handles the console's shortcuts. Single keys act only outside text input, and can be disabled. */
export function useShortcuts({ lab, palette, list, incident }: Actions): void {
  const router = useRouter();
  const actions = useRef({ palette, list, incident });
  actions.current = { palette, list, incident };
  useEffect(() => {
    let going = 0;
    const single: Record<string, () => boolean> = {
      '?': () => runShortcut(actions.current.list),
      '/': () => focus('main input[type="search"]') || runShortcut(actions.current.palette),
      c: () => clickElement('main [data-new]:not(:disabled, [aria-disabled="true"])'),
      i: () => runShortcut(actions.current.incident),
      // Presses the bar's button, which is disabled for roles that may not end an incident.
      'shift i': () => clickElement('[data-end-incident]:not(:disabled, [aria-disabled="true"])'),
      g: () => {
        going = Date.now();
        return true;
      },
    };
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.altKey) return;
      const key = event.key.toLowerCase();
      if (event.metaKey || event.ctrlKey) {
        if (key === 'k' && runShortcut(actions.current.palette)) event.preventDefault();
        return;
      }
      if (!hasShortcuts() || (event.target instanceof Element && event.target.closest(TAKEN))) return;
      if (document.querySelector('[role="dialog"][data-state="open"], [role="alertdialog"]')) return;
      const href = Date.now() - going < PATIENCE ? findPage(key, lab) : undefined;
      going = 0;
      if (href !== undefined) {
        event.preventDefault();
        router.push(href);
      } else if (single[event.shiftKey && key === 'i' ? 'shift i' : key]?.()) {
        event.preventDefault();
      }
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [router, lab]);
}

function runShortcut(action: () => void): true {
  action();
  return true;
}

function focus(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus();
  return element !== null;
}

function clickElement(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  // The focus returns to this element when the dialog closes.
  element?.focus();
  element?.click();
  return element !== null;
}
