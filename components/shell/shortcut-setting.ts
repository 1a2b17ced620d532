import { useSyncExternalStore } from 'react';

const KEY = 'sluice.shortcuts';
const listeners = new Set<() => void>();

/** True if single-key shortcuts are on. They can be disabled, because speech input triggers them (WCAG 2.1.4). */
export function hasShortcuts(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off';
  } catch {
    return true;
  }
}

export function setShortcuts(on: boolean): void {
  try {
    if (on) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, 'off');
  } catch {
    return;
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useShortcutsOn(): boolean {
  return useSyncExternalStore(subscribe, hasShortcuts, () => true);
}
