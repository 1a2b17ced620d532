import { useSyncExternalStore } from 'react';

export type TimeZoneSetting = 'local' | 'utc';

/** Storage key of the setting. */
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

function readSetting(): TimeZoneSetting {
  try {
    return localStorage.getItem(KEY) === 'utc' ? 'utc' : 'local';
  } catch {
    return 'local';
  }
}

/** Stores the choice in this browser. If storage is forbidden, times stay local. */
export function setTimeZone(next: TimeZoneSetting): void {
  try {
    if (next === 'utc') localStorage.setItem(KEY, next);
    else localStorage.removeItem(KEY);
  } catch {
    return;
  }
  for (const listener of listeners) listener();
}

let browserZone: string | undefined;

/**
 * Returns the time zone that this browser had when the page loaded: `Europe/Berlin`. It is read once, because every time
 * in a list needs it and reading takes about 0.3 ms.
 */
function readBrowserZone(): string {
  browserZone ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return browserZone;
}

export function useTimeZoneSetting(): TimeZoneSetting {
  return useSyncExternalStore(subscribe, readSetting, () => 'utc');
}

/**
 * Returns the zone of displayed times and the reader's own zone. Both are UTC during server rendering, because the
 * server lacks the reader's zone and hydration must match.
 */
export function useTimeZone(): { zone: string; reader: string } {
  const zone = useSyncExternalStore(
    subscribe,
    () => (readSetting() === 'utc' ? 'UTC' : readBrowserZone()),
    () => 'UTC',
  );
  const reader = useSyncExternalStore(subscribe, readBrowserZone, () => 'UTC');
  return { zone, reader };
}
