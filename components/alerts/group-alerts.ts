import type { Alert, AlertEvent } from '@/lib/contract/alerts';

/** Kinds of alerts, the most urgent first. */
const URGENCY: readonly AlertEvent[] = [
  'store.down',
  'bypass.share',
  'clock.skew',
  'refusals.burst',
  'quota.threshold',
  'quota.forecast',
  'exception.ending',
];

/** Alerts of one object. */
export interface AlertGroup {
  object: Alert['object'];
  /** All of its alerts, the most urgent first. */
  alerts: readonly [Alert, ...Alert[]];
}

/** Highest threshold of an alert. 0 for other alerts. */
const readThreshold = ({ details }: Alert) => Number(details.threshold_percent ?? 0);

function compareUrgency(a: Alert, b: Alert): number {
  return (
    URGENCY.indexOf(a.event) - URGENCY.indexOf(b.event) ||
    readThreshold(b) - readThreshold(a) ||
    Date.parse(b.opened_at) - Date.parse(a.opened_at)
  );
}

/** Groups alerts by their object, the object with the most urgent alert first. */
export function groupAlerts(alerts: readonly Alert[]): AlertGroup[] {
  const groups = new Map<string, AlertGroup>();
  for (const alert of [...alerts].sort(compareUrgency)) {
    const group = groups.get(alert.object.id);
    groups.set(alert.object.id, { object: alert.object, alerts: group ? [...group.alerts, alert] : [alert] });
  }
  return [...groups.values()];
}
