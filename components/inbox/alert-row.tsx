import { BellOff, Check, Clock, Plus, RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import { nameAlert } from '@/components/alerts/event-names';
import type { AlertGroup } from '@/components/alerts/group-alerts';
import { DatedText } from '@/components/format/dated-text';
import { RelativeTime } from '@/components/format/relative-time';
import { HelpButton } from '@/components/identifier/help-button';
import { useHandleAlerts } from '@/components/inbox/use-handle-alerts';
import type { LimitedIdentity } from '@/components/links/target';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleButton } from '@/components/shell/role-button';
import { RoleMenuItem } from '@/components/shell/role-menu-item';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Menu } from '@/components/ui/dropdown-menu';
import { Link } from '@/components/ui/link';
import type { Alert } from '@/lib/contract/alerts';
import { HOUR } from '@/lib/units';

const GrantUntilReset = loadOnDemand(() => import('@/components/inbox/grant-until-reset'));

const SNOOZES = [
  { label: 'For an hour', time: HOUR },
  { label: 'For a day', time: 24 * HOUR },
  { label: 'For a week', time: 7 * 24 * HOUR },
] as const;

/** The callers that help exists for, by the type of an object. */
const CALLERS: Readonly<Record<string, LimitedIdentity['type']>> = {
  api_key: 'api_key',
  ip: 'ip',
  user: 'user_id',
  client: 'client_id',
};

/** One line for all alerts of an object: what is the matter, and what can be done. `mark` is its checkbox. */
export function AlertRow({ group: { object, alerts }, mark }: { group: AlertGroup; mark: ReactNode }) {
  // A lower threshold of a quota says nothing more than a higher one, which comes first.
  const distinct = alerts.filter(({ event, subject }, index) =>
    alerts.slice(0, index).every((other) => other.event !== event || other.subject !== subject),
  );
  const [worst] = alerts;
  const caller = CALLERS[object.type];
  const hasQuota = object.type === 'api_key' && alerts.some(({ event }) => event.startsWith('quota.'));
  const isHandled = worst.acknowledged_at !== null || worst.snoozed_until !== null;
  const open = useDialog();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b px-4 py-3 last:border-b-0">
      {mark}
      <span className="flex flex-wrap gap-1 lg:w-44 lg:shrink-0">
        {distinct.map((alert) => (
          <Badge key={alert.id} variant={isUrgent(alert) ? 'destructive' : 'warning'}>
            {formatBadge(alert)}
          </Badge>
        ))}
      </span>
      <span className="min-w-0 flex-1 basis-72 text-sm">
        {distinct.map(({ id, link, summary }) => (
          <Link key={id} href={link} className="block w-fit rounded-xs break-words underline-offset-4 hover:underline">
            <DatedText>{summary}</DatedText>
          </Link>
        ))}
        <span className="block text-xs text-muted-foreground">
          {worst.summary.includes(object.name) ? '' : `${object.name}, `}
          <RelativeTime at={worst.opened_at} />
          <HandlingNote alert={worst} />
        </span>
      </span>
      <span className="flex flex-wrap items-center gap-1">
        {hasQuota ? (
          <RoleButton
            needs="operator"
            variant="outline"
            size="sm"
            onClick={() =>
              open((onClose) => <GrantUntilReset id={object.id.slice('api_key:'.length)} onClose={onClose} />)
            }
          >
            <Plus aria-hidden /> Grant until reset
          </RoleButton>
        ) : null}
        {caller === undefined ? null : (
          <HelpButton
            request={{ type: caller, identifier: object.id.slice(object.type.length + 1) }}
            name={object.name}
            label="Help"
          />
        )}
        {isHandled ? <ReopenButton object={object} /> : <HandleButtons object={object} />}
      </span>
    </li>
  );
}

const isUrgent = ({ event, details }: Alert) =>
  event === 'bypass.share' ||
  (event === 'store.down' && details.state !== 'degraded') ||
  (event === 'quota.threshold' && Number(details.threshold_percent) >= 100);

function formatBadge({ event, details }: Alert): string {
  return event === 'quota.threshold' ? `Quota ${String(details.threshold_percent)}%` : nameAlert(event, details);
}

function HandlingNote({ alert }: { alert: Alert }) {
  const { acknowledged_by: who, acknowledged_at: at, snoozed_until: until } = alert;
  if (at !== null)
    return (
      <>
        {' '}
        · acknowledged by {who} <RelativeTime at={at} />
      </>
    );
  if (until === null) return null;
  return (
    <>
      {' '}
      · snoozed, ends <RelativeTime at={until} />
    </>
  );
}

function HandleButtons({ object }: { object: AlertGroup['object'] }) {
  const { acknowledge, isPending } = useHandleAlerts(object);
  return (
    <>
      <RoleButton
        needs="operator"
        variant="outline"
        size="sm"
        pending={isPending}
        aria-label={`Acknowledge ${object.name}`}
        onClick={() => void acknowledge(null)}
      >
        <Check aria-hidden /> Acknowledge
      </RoleButton>
      <Menu
        align="end"
        trigger={
          <Button variant="ghost" size="sm" aria-label={`Snooze ${object.name}`}>
            <BellOff aria-hidden /> Snooze
          </Button>
        }
      >
        {SNOOZES.map(({ label, time }) => (
          <RoleMenuItem
            key={label}
            icon={Clock}
            label={label}
            needs="operator"
            onSelect={() => void acknowledge(new Date(Date.now() + time).toISOString())}
          />
        ))}
      </Menu>
    </>
  );
}

function ReopenButton({ object }: { object: AlertGroup['object'] }) {
  const { reopen, isPending } = useHandleAlerts(object);
  return (
    <RoleButton needs="operator" variant="outline" size="sm" pending={isPending} onClick={() => void reopen()}>
      <RotateCcw aria-hidden /> Reopen
    </RoleButton>
  );
}
