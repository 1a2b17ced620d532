import { useSyncExternalStore } from 'react';

export type TimeZoneSetting = 'local' | 'utc';

/** The key under which the browser keeps the setting. */
const KEY = 'sluice.time-zone';
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

function setting(): TimeZoneSetting {
  try {
    return localStorage.getItem(KEY) === 'utc' ? 'utc' : 'local';
  } catch {
    return 'local';
  }
}

/** Keeps the choice in this browser. Where it may keep nothing, times stay local. */
export function setTimeZone(next: TimeZoneSetting): void {
  try {
    if (next === 'utc') localStorage.setItem(KEY, next);
    else localStorage.removeItem(KEY);
  } catch {
    return;
  }
  for (const listener of listeners) listener();
}

/** The zone of this browser, such as `Europe/Berlin`. */
function readerZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function useTimeZoneSetting(): TimeZoneSetting {
  return useSyncExternalStore(subscribe, setting, () => 'utc');
}

/**
 * The zone that times are shown in, and the reader's own. While the server renders both are UTC: it cannot know the
 * reader's, and so hydration matches.
 */
export function useTimeZone(): { zone: string; reader: string } {
  const zone = useSyncExternalStore(
    subscribe,
    () => (setting() === 'utc' ? 'UTC' : readerZone()),
    () => 'UTC',
  );
  const reader = useSyncExternalStore(subscribe, readerZone, () => 'UTC');
  return { zone, reader };
}
