'use client';

import { BellRing } from 'lucide-react';
import { EVENT_NAMES, nameAlert } from '@/components/alerts/event-names';
import { DatedText } from '@/components/format/dated-text';
import { HandledAlerts, OpenAlerts } from '@/components/inbox/alert-groups';
import { timeColumn } from '@/components/list/common-columns';
import { ResourceList } from '@/components/list/resource-list';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { PageHeader } from '@/components/shell/page-header';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Link } from '@/components/ui/link';
import { ALERT_EVENTS, type Alert, listAlerts } from '@/lib/contract/alerts';

const LIST: ResourceDeclaration<Alert> = {
  key: 'alerts',
  contract: listAlerts,
  label: 'Alerts',
  noun: 'alert',
  noMatch: 'No alert matches',
  search: { label: 'Search key, caller or text' },
  facets: [
    { name: 'event', label: 'Kind', options: ALERT_EVENTS.map((value) => ({ value, label: EVENT_NAMES[value] })) },
  ],
  refetchInterval: 15_000,
  rowId: ({ id }) => id,
  tabs: [
    {
      value: 'open',
      label: 'Open',
      query: { acknowledged: 'no', sort: '-urgency' },
      empty: { title: 'Nothing needs attention' },
      Rows: OpenAlerts,
    },
    {
      value: 'acknowledged',
      label: 'Acknowledged',
      query: { acknowledged: 'yes', sort: '-urgency' },
      empty: { title: 'No open alert is acknowledged or snoozed' },
      Rows: HandledAlerts,
    },
    {
      value: 'history',
      label: 'History',
      query: { status: 'resolved', sort: '-resolved_at' },
      empty: { icon: BellRing, title: 'No alert was resolved in the last 90 days' },
    },
  ],
  columns: [
    {
      id: 'summary',
      header: 'Alert',
      cell: ({ link, summary, resolution }) => (
        <p className="min-w-64 py-1 text-pretty whitespace-normal max-sm:min-w-0">
          <Link href={link} className="rounded-xs break-words underline-offset-4 hover:underline">
            <DatedText>{summary}</DatedText>
          </Link>
          {resolution === null ? null : (
            <span className="block text-xs text-muted-foreground">
              <DatedText>{resolution}</DatedText>
            </span>
          )}
        </p>
      ),
      className: 'w-full',
      phone: 'title',
    },
    {
      id: 'event',
      header: 'Kind',
      cell: ({ event, details }) => <Badge>{nameAlert(event, details)}</Badge>,
      phone: 'aside',
    },
    timeColumn('opened_at', 'Opened'),
    timeColumn('resolved_at', 'Resolved'),
  ],
};

/** Alerts as an inbox: one line an object, with what can be done about it. */
export const InboxPage = () => (
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
    <ResourceList declaration={LIST} />
  </>
);
