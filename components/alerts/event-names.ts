import type { Alert, AlertEvent } from '@/lib/contract/alerts';

/** Display names of alert events. */
export const EVENT_NAMES: Readonly<Record<AlertEvent, string>> = {
  'quota.threshold': 'Quota',
  'quota.forecast': 'Forecast',
  'refusals.burst': 'Refusals',
  'exception.ending': 'Exception ends',
  'bypass.share': 'Bypasses',
  'store.down': 'Store',
  'clock.skew': 'Clock',
};

/** Names an alert. A store alert says whether the store is down or degraded. */
export function nameAlert(event: AlertEvent, { state }: Alert['details']): string {
  if (event !== 'store.down') return EVENT_NAMES[event];
  return state === 'degraded' ? 'Store degraded' : 'Store down';
}
