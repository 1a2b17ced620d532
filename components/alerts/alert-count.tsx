import { groupAlerts } from '@/components/alerts/group-alerts';
import { MOST_COUNTED, useOpenAlerts } from '@/components/alerts/use-open-alerts';

/** Number of objects that have open alerts, for the navigation. Renders nothing if there are none. */
export function AlertCount() {
  const alerts = useOpenAlerts().data?.value ?? [];
  if (alerts.length === 0) return null;
  return (
    <span className="ml-auto rounded-full bg-warning-soft px-1.5 text-xs text-warning-text tabular-nums">
      <span className="sr-only">, </span>
      {groupAlerts(alerts).length}
      {alerts.length === MOST_COUNTED ? '+' : ''}
      <span className="sr-only"> open</span>
    </span>
  );
}
