import type { Alert } from '@/lib/contract/alerts';

interface AboutObject {
  object: { id: string };
}

/** Alerts of one object. */
export interface AlertGroup<A extends AboutObject = Alert> {
  object: A['object'];
  /** All of its alerts, the most urgent first. */
  alerts: readonly [A, ...A[]];
}

/** Groups alerts by their object. @param alerts the most urgent first */
export function groupAlerts<A extends AboutObject>(alerts: readonly A[]): AlertGroup<A>[] {
  const groups = new Map<string, AlertGroup<A>>();
  for (const alert of alerts) {
    const group = groups.get(alert.object.id);
    groups.set(alert.object.id, { object: alert.object, alerts: group ? [...group.alerts, alert] : [alert] });
  }
  return [...groups.values()];
}
