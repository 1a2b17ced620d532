import Link from 'next/link';
import { EVENT_NAMES } from '@/components/alerts/event-names';
import { RelativeTime } from '@/components/format/relative-time';
import { QueryCard } from '@/components/list/query-card';
import { Badge } from '@/components/ui/badge';
import { useCall } from '@/components/use-call';
import { listAlerts } from '@/lib/contract/alerts';

const MOST_SHOWN = 8;

/** What is open now, each with the way to it. Nothing where nothing is. */
export default function AlertsCard() {
  const alerts = useCall(
    ['alerts', 'open'],
    listAlerts,
    { query: { limit: String(MOST_SHOWN + 1) } },
    { refetchInterval: 30_000 },
  );
  const open = alerts.data?.value ?? [];
  if (open.length === 0) return null;
  return (
    <QueryCard title="Alerts" more={{ href: '/settings?tab=alerts', label: 'Settings of alerts' }} query={alerts}>
      {({ value }) => (
        <ul className="flex flex-col gap-2.5">
          {value.slice(0, MOST_SHOWN).map(({ id, event, summary, link, opened_at: at }) => (
            <li key={id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm">
              <Badge variant={event === 'store.down' ? 'destructive' : 'warning'}>{EVENT_NAMES[event]}</Badge>
              <Link
                href={link}
                prefetch={false}
                className="min-w-0 flex-1 basis-64 rounded-xs break-words underline-offset-4 hover:underline"
              >
                {summary}
              </Link>
              <RelativeTime at={at} className="text-xs text-muted-foreground" />
            </li>
          ))}
          {value.length > MOST_SHOWN ? <li className="text-xs text-muted-foreground">and more</li> : null}
        </ul>
      )}
    </QueryCard>
  );
}
