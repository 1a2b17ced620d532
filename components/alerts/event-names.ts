import type { AlertEvent } from '@/lib/contract/alerts';

/** What a person calls the events. */
export const EVENT_NAMES: Readonly<Record<AlertEvent, string>> = {
  'quota.threshold': 'Quota',
  'quota.forecast': 'Forecast',
  'refusals.burst': 'Refusals',
  'exception.ending': 'Exception ends',
  'store.down': 'Store down',
  'clock.skew': 'Clock',
};
