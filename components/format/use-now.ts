import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let current = 0;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    current = Date.now();
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    current = 0;
  };
}

function readNow(): number {
  if (current === 0) current = Date.now();
  return current;
}

/**
 * Returns the current time in milliseconds, updated every second by one timer per page. Null during server rendering,
 * so that hydration matches.
 */
export function useNow(): number | null {
  return useSyncExternalStore(subscribe, readNow, () => null);
}
