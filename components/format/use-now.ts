import { useSyncExternalStore } from 'react';
import { MINUTE } from '@/lib/units';

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
 * Returns a value computed from the current time, in milliseconds, every second by one timer per page. The component
 * renders again only if the value changes. Null during server rendering, so that hydration matches.
 */
export function useAtNow<Value extends string | number | boolean | null>(
  compute: (now: number) => Value,
): Value | null {
  return useSyncExternalStore(
    subscribe,
    () => compute(readNow()),
    () => null,
  );
}

/** Returns the current time in milliseconds, updated every second. Not for a page or a list: it renders every second. */
export const useNow = (): number | null => useAtNow((now) => now);

/** Returns the start of the current minute in milliseconds. */
export const useMinute = (): number | null => useAtNow((now) => now - (now % MINUTE));
