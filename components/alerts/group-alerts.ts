import type { Alert, AlertEvent } from '@/lib/contract/alerts';

/** Kinds of alerts, the most urgent first. */
const URGENCY: readonly string[] = [
  'store.down',
  'bypass.share',
  'clock.skew',
  'refusals.burst',
  'quota.threshold',
  'quota.forecast',
  'exception.ending',
] satisfies AlertEvent[];

/** What orders an alert, and the object that it is about. */
interface Sortable {
  event: string;
  object: { id: string };
  details: { threshold_percent?: unknown };
  opened_at: string;
}

/** Alerts of one object. */
export interface AlertGroup<A extends Sortable = Alert> {
  object: A['object'];
  /** All of its alerts, the most urgent first. */
  alerts: readonly [A, ...A[]];
}

/** Highest threshold of an alert. 0 for other alerts. */
const readThreshold = ({ details }: Sortable) => Number(details.threshold_percent ?? 0);

function compareUrgency(a: Sortable, b: Sortable): number {
  return (
    URGENCY.indexOf(a.event) - URGENCY.indexOf(b.event) ||
    readThreshold(b) - readThreshold(a) ||
    Date.parse(b.opened_at) - Date.parse(a.opened_at)
  );
}

/** Groups alerts by their object, the object with the most urgent alert first. */
export function groupAlerts<A extends Sortable>(alerts: readonly A[]): AlertGroup<A>[] {
  const groups = new Map<string, AlertGroup<A>>();
  for (const alert of [...alerts].sort(compareUrgency)) {
    const group = groups.get(alert.object.id);
    groups.set(alert.object.id, { object: alert.object, alerts: group ? [...group.alerts, alert] : [alert] });
  }
  return [...groups.values()];
}
