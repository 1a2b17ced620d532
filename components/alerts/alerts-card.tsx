import Link from 'next/link';
import type { ReactNode } from 'react';
import { alertName } from '@/components/alerts/event-names';
import { useCall } from '@/components/api/use-call';
import { RelativeTime } from '@/components/format/relative-time';
import { QueryCard } from '@/components/list/query-card';
import { Badge } from '@/components/ui/badge';
import { cn } from '@/components/ui/cn';
import { type Alert, listAlerts } from '@/lib/contract/alerts';

const MOST_SHOWN = 8;
const MOST_RESOLVED = 3;
/** Time for which a resolved alert stays visible, in milliseconds. */
const SHOWN_FOR = 86_400_000;

/** Lists open alerts, each with a link, then alerts resolved within the last day. Renders nothing if there are none. */
export default function AlertsCard() {
  const alerts = useCall(
    ['alerts', 'open'],
    listAlerts,
    { query: { limit: String(MOST_SHOWN + 1) } },
    { refetchInterval: 30_000 },
  );
  const past = useCall(
    ['alerts', 'resolved'],
    listAlerts,
    { query: { status: 'resolved', sort: '-resolved_at', limit: String(MOST_RESOLVED + 1) } },
    { refetchInterval: 30_000 },
  );
  const since = Date.now() - SHOWN_FOR;
  const resolved = (past.data?.value ?? []).filter(({ resolved_at: at }) => at !== null && Date.parse(at) > since);
  const open = alerts.data?.value ?? [];
  if (open.length === 0 && resolved.length === 0) return null;
  return (
    <QueryCard title="Alerts" more={{ href: '/settings?tab=alerts', label: 'Settings of alerts' }} query={alerts}>
      {({ value }) => (
        <div className="flex flex-col gap-3">
          {value.length === 0 ? null : (
            <ul className="flex flex-col gap-2.5" aria-label="Open alerts">
              {value.slice(0, MOST_SHOWN).map((alert) => (
                <OpenAlert key={alert.id} alert={alert} />
              ))}
              {value.length > MOST_SHOWN ? <li className="text-xs text-muted-foreground">and more</li> : null}
            </ul>
          )}
          {resolved.length === 0 ? null : (
            <ul
              className="flex flex-col gap-1.5 text-xs text-muted-foreground"
              aria-label="Alerts resolved within the last day"
            >
              {resolved.slice(0, MOST_RESOLVED).map((alert) => (
                <ResolvedAlert key={alert.id} alert={alert} />
              ))}
              {resolved.length > MOST_RESOLVED ? <li>and more</li> : null}
            </ul>
          )}
        </div>
      )}
    </QueryCard>
  );
}

function OpenAlert({ alert: { event, summary, link, details, opened_at: at } }: { alert: Alert }) {
  const isDown = event === 'store.down' && details.state !== 'degraded';
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm">
      <Badge variant={isDown ? 'destructive' : 'warning'}>{alertName(event, details)}</Badge>
      <AlertLink href={link} className="max-sm:order-last max-sm:basis-full">
        {summary}
      </AlertLink>
      <RelativeTime at={at} className="text-xs text-muted-foreground max-sm:ml-auto" />
    </li>
  );
}

function ResolvedAlert({ alert: { summary, link, resolution, resolved_at: at } }: { alert: Alert }) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
      <AlertLink href={link}>
        <span className="font-medium">Resolved:</span> {summary} {resolution}
      </AlertLink>
      {at === null ? null : <RelativeTime at={at} />}
    </li>
  );
}

function AlertLink({ href, className, children }: { href: string; className?: string; children: ReactNode }) {
  return (
    <Link
      href={href}
      prefetch={false}
      className={cn('min-w-0 flex-1 basis-64 rounded-xs break-words underline-offset-4 hover:underline', className)}
    >
      {children}
    </Link>
  );
}
