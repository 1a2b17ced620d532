import { BellRing } from 'lucide-react';
import { groupAlerts } from '@/components/alerts/group-alerts';
import { MOST_COUNTED, type useOpenAlerts } from '@/components/alerts/use-open-alerts';
import { Link } from '@/components/ui/link';
import { formatCount } from '@/lib/format-number';

/** One line with the number of objects that have open alerts. Renders nothing if there are none. */
export function AlertsLine({ alerts: { data } }: { alerts: ReturnType<typeof useOpenAlerts> }) {
  const alerts = data?.value ?? [];
  const groups = groupAlerts(alerts);
  const [first] = groups;
  if (first === undefined) return null;
  return (
    <Link
      href="/alerts"
      className="flex items-center gap-2.5 rounded-lg border bg-warning-soft px-4 py-2.5 text-sm text-warning-text underline-offset-4 hover:underline"
    >
      <BellRing aria-hidden className="size-4 shrink-0" />
      <span className="shrink-0 font-medium tabular-nums">
        {formatCount(groups.length, 'alert')}
        {alerts.length === MOST_COUNTED ? ' or more' : ''}
      </span>
      <span className="min-w-0 truncate max-sm:hidden">{first.alerts[0].summary}</span>
      <span className="ml-auto shrink-0">Open</span>
    </Link>
  );
}
