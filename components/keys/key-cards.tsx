import { useCall } from '@/components/api/use-call';
import type { Series } from '@/components/chart/series';
import { TimeSeries } from '@/components/chart/time-series';
import { CopyButton } from '@/components/format/copy-button';
import { RelativeTime } from '@/components/format/relative-time';
import { Timestamp } from '@/components/format/timestamp';
import { useNow } from '@/components/format/use-now';
import { Identifier } from '@/components/identifier/identifier';
import { DetailList } from '@/components/list/detail-list';
import { ListError } from '@/components/list/list-error';
import { TitledCard } from '@/components/ui/card';
import { Shortened } from '@/components/ui/shortened';
import { TIER_NAMES } from '@/components/vocabulary/tiers';
import { readKeyStatistics } from '@/lib/contract/key-statistics';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';
import { DAY } from '@/lib/units';

export function KeyDetails({ apiKey }: { apiKey: ApiKeyWithUsage }) {
  const now = useNow();
  const details = [
    {
      name: 'Id',
      value: (
        <span className="flex items-center gap-0.5">
          <Shortened text={apiKey.id} className="font-mono text-xs" />
          <CopyButton value={apiKey.id} label="Copy key id" />
        </span>
      ),
    },
    { name: 'Secret starts with', value: <span className="font-mono text-xs">{apiKey.prefix}…</span> },
    { name: 'Tier', value: TIER_NAMES[apiKey.tier] },
    { name: 'Client', value: <span className="capitalize">{apiKey.client_type}</span> },
    {
      name: 'User',
      value: apiKey.user_id ? <Identifier target={{ type: 'user_id', identifier: apiKey.user_id }} /> : 'none',
    },
    { name: 'Overage', value: apiKey.overage_allowed ? 'served and counted' : 'refused' },
    { name: 'Month starts on', value: `day ${apiKey.month_starts_on}, 00:00 UTC` },
    { name: 'Expires', value: apiKey.expires_at ? <Timestamp at={apiKey.expires_at} /> : 'never' },
    { name: 'Last used', value: apiKey.last_used_at ? <RelativeTime at={apiKey.last_used_at} /> : 'never' },
    { name: 'Created', value: <Timestamp at={apiKey.created_at} /> },
    { name: 'Created by', value: apiKey.created_by },
    ...(apiKey.previous_secret_until && now !== null && Date.parse(apiKey.previous_secret_until) > now
      ? [{ name: 'Old secret works until', value: <Timestamp at={apiKey.previous_secret_until} /> }]
      : []),
  ];
  return (
    <TitledCard title="Details">
      <DetailList details={details} className="lg:grid-cols-2" />
    </TitledCard>
  );
}

const DAYS_SERIES: readonly Series[] = [
  { key: 'allowed', name: 'Allowed', color: 'var(--color-primary)' },
  { key: 'refused', name: 'Refused', color: 'var(--color-chart-ip)' },
];

/** Shows the decisions of the last 30 days for this key. */
export function KeyDays({ id }: { id: string }) {
  const { data, error, refetch } = useCall(
    ['statistics', 'key', id],
    readKeyStatistics,
    { params: { id }, query: { days: '30' } },
    { refetchInterval: 60_000 },
  );
  if (error && !data) return <ListError error={error} onRetry={() => void refetch()} />;
  return (
    <TitledCard title="Daily usage" aside={<span className="text-sm text-muted-foreground">30 days, UTC</span>}>
      <TimeSeries
        label="Daily usage"
        className="h-40"
        points={data?.value.days.map(({ day, allowed, refused }) => ({
          at: Date.parse(day),
          values: { allowed, refused },
        }))}
        series={DAYS_SERIES}
        step={DAY}
        empty="This key was not used in the last 30 days."
      />
    </TitledCard>
  );
}
