import { useSyncExternalStore } from 'react';
import { createStoredValue } from '@/components/ui/stored-value';

export type TimeZoneSetting = 'local' | 'utc';

const SETTING = createStoredValue<TimeZoneSetting>(
  'sluice.time-zone',
  (stored) => (stored === 'utc' ? 'utc' : undefined),
  'local',
);
export const setTimeZone = SETTING.write;

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
  return SETTING.use('utc');
}

const subscribeToNothing = () => () => {};

/**
 * Returns the zone of displayed times and the reader's own zone. Both are UTC during server rendering, because the
 * server lacks the reader's zone and hydration must match.
 */
export function useTimeZone(): { zone: string; reader: string } {
  const setting = useTimeZoneSetting();
  const reader = useSyncExternalStore(subscribeToNothing, readBrowserZone, () => 'UTC');
  return { zone: setting === 'utc' ? 'UTC' : reader, reader };
}
