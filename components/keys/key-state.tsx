import { formatAbsoluteTime, formatDate } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { useAtNow, useMinute } from '@/components/format/use-now';
import { Badge } from '@/components/ui/badge';
import { type ApiKeyWithUsage, deriveKeyState } from '@/lib/contract/keys';
import { DAY } from '@/lib/units';

/** Number of days before its end at which an expiry is shown. */
export const SOON_DAYS = 30;

export function KeyStateBadge({ apiKey }: { apiKey: ApiKeyWithUsage }) {
  const state = useAtNow((now) => deriveKeyState(apiKey, now));
  switch (state) {
    case null:
    case 'active':
      return null;
    case 'near':
      return <Badge variant="warning">above 80%</Badge>;
    case 'used_up':
      return <Badge variant="destructive">{apiKey.overage_allowed ? 'in overage' : 'used up'}</Badge>;
    case 'expired':
      return <Badge variant="destructive">expired</Badge>;
    case 'revoked':
      return <Badge>revoked</Badge>;
  }
}

/** Shows the date on which a key expires, if that is soon. */
export function ExpiryBadge({ apiKey: { expires_at } }: { apiKey: ApiKeyWithUsage }) {
  const now = useMinute();
  const { zone } = useTimeZone();
  if (expires_at === null || now === null) return null;
  const left = Date.parse(expires_at) - now;
  if (left <= 0 || left > SOON_DAYS * DAY) return null;
  return (
    <Badge variant="outline" title={formatAbsoluteTime(expires_at, zone)}>
      expires {formatDate(expires_at, zone, now)}
    </Badge>
  );
}

/** Shows the day on which a key's quota runs out at its current pace. */
export function RunsOutDay({ apiKey }: { apiKey: ApiKeyWithUsage }) {
  const now = useMinute();
  const isExpired = useAtNow((at) => deriveKeyState(apiKey, at) === 'expired');
  const { zone } = useTimeZone();
  const { remaining, runs_out_at, revoked_at } = apiKey;
  if (revoked_at !== null || isExpired) return '–';
  if (remaining === null) return <span className="text-muted-foreground">unknown</span>;
  if (remaining === 0) return <span className="text-destructive-text">used up</span>;
  if (runs_out_at === null) return <span className="text-muted-foreground">not this month</span>;
  return (
    <time dateTime={runs_out_at} title={formatAbsoluteTime(runs_out_at, zone)} className="text-warning-text">
      {formatDate(runs_out_at, zone, now ?? runs_out_at)}
    </time>
  );
}
