import type { Alert, AlertEvent } from '@/lib/contract/alerts';

/** What a person calls the events. */
export const EVENT_NAMES: Readonly<Record<AlertEvent, string>> = {
  'quota.threshold': 'Quota',
  'quota.forecast': 'Forecast',
  'refusals.burst': 'Refusals',
  'exception.ending': 'Exception ends',
  'store.down': 'Store',
  'clock.skew': 'Clock',
};

/** What a person calls an alert: that of a store says whether it is down or degraded. */
export function alertName(event: AlertEvent, { state }: Alert['details']): string {
  if (event !== 'store.down') return EVENT_NAMES[event];
  return state === 'degraded' ? 'Store degraded' : 'Store down';
}
