'use client';

import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { groupAlerts } from '@/components/alerts/group-alerts';
import { useCall } from '@/components/api/use-call';
import { RelativeTime } from '@/components/format/relative-time';
import { AlertRow } from '@/components/inbox/alert-row';
import { ListError } from '@/components/list/list-error';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import { Link } from '@/components/ui/link';
import { Segmented } from '@/components/ui/segmented';
import { Skeleton } from '@/components/ui/skeleton';
import { type Alert, listAlerts } from '@/lib/contract/alerts';

const TABS = ['open', 'acknowledged', 'history'] as const;
type Tab = (typeof TABS)[number];

const LABELS: Readonly<Record<Tab, string>> = { open: 'Open', acknowledged: 'Acknowledged', history: 'History' };
const EMPTY: Readonly<Record<Tab, string>> = {
  open: 'Nothing needs attention.',
  acknowledged: 'No open alert is acknowledged or snoozed.',
  history: 'No alert was resolved in the last 90 days.',
};
const QUERIES = {
  open: { acknowledged: 'no', limit: '500' },
  acknowledged: { acknowledged: 'yes', limit: '500' },
  history: { status: 'resolved', sort: '-resolved_at', limit: '100' },
} as const;

/** Alerts as an inbox: one line an object, with what can be done about it. */
export function InboxPage() {
  const [tab, setTab] = useQueryState(
    'tab',
    parseAsStringLiteral(TABS).withDefault('open').withOptions({ history: 'push' }),
  );
  const alerts = useCall(['alerts', 'inbox', tab], listAlerts, { query: QUERIES[tab] }, { refetchInterval: 15_000 });
  const { data, error, refetch } = alerts;
  const rows = data?.value ?? [];
  return (
    <>
      <PageHeader
        title="Alerts"
        description="What needs attention, one line for each key, caller and store."
        actions={
          <Button asChild variant="outline">
            <Link href="/settings?tab=alerts">Alert settings</Link>
          </Button>
        }
      />
      <Segmented
        label="Alerts"
        value={tab}
        onChange={(next) => void setTab(next)}
        options={TABS.map((value) => ({ value, label: LABELS[value] }))}
      />
      {error && !data ? <ListError error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <Skeleton className="h-40 rounded-lg" /> : null}
      {data && rows.length === 0 ? (
        <p className="rounded-lg border bg-card px-4 py-8 text-center text-sm text-muted-foreground">{EMPTY[tab]}</p>
      ) : null}
      {rows.length === 0 ? null : (
        <ul aria-label={LABELS[tab]} className="rounded-lg border bg-card">
          {tab === 'history'
            ? rows.map((alert) => <PastAlert key={alert.id} alert={alert} />)
            : groupAlerts(rows).map((group) => <AlertRow key={group.object.id} group={group} />)}
        </ul>
      )}
    </>
  );
}

function PastAlert({ alert: { object, summary, resolution, resolved_at: at, link } }: { alert: Alert }) {
  return (
    <li className="border-b px-4 py-3 text-sm last:border-b-0">
      <Link href={link} className="rounded-xs break-words underline-offset-4 hover:underline">
        {summary}
      </Link>
      <span className="block text-xs text-muted-foreground">
        {object.name}, resolved {at === null ? null : <RelativeTime at={at} />}. {resolution}
      </span>
    </li>
  );
}
