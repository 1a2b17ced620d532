import type { Series } from '@/components/chart/series';
import { TimeSeries } from '@/components/chart/time-series';
import { CopyButton } from '@/components/format/copy-button';
import { countOf, formatNumber, formatShare } from '@/components/format/number';
import { RelativeTime } from '@/components/format/relative-time';
import { Identifier } from '@/components/identifier/identifier';
import { Shortened } from '@/components/identifier/shortened';
import { ThresholdMarks, useThresholdEvents } from '@/components/keys/thresholds';
import { TIER_NAMES } from '@/components/keys/tiers';
import { DetailList } from '@/components/list/detail-list';
import { ListError } from '@/components/list/list-error';
import { QueryCard } from '@/components/list/query-card';
import { forecastWords } from '@/components/statistics/forecast-words';
import { TitledCard } from '@/components/ui/card';
import { MeterBar } from '@/components/ui/meter-bar';
import { useCall } from '@/components/use-call';
import { type ApiKeyWithUsage, usedShare } from '@/lib/contract/keys';
import { type Forecast, forecastQuotas, readKeyStatistics } from '@/lib/contract/statistics';

export function KeyUsage({ apiKey }: { apiKey: ApiKeyWithUsage }) {
  const share = usedShare(apiKey);
  const thresholds = useThresholdEvents(apiKey.id);
  const resets = (
    <span className="text-sm text-muted-foreground">
      resets <RelativeTime at={apiKey.reset_at} />
    </span>
  );
  return (
    <TitledCard title="This month" aside={resets} className="flex flex-col gap-3">
      {apiKey.usage === null || share === null ? (
        <p className="text-sm text-muted-foreground">The counter store is down, so the usage is unknown.</p>
      ) : (
        <>
          <div className="flex flex-wrap items-baseline gap-x-2 tabular-nums">
            <span className="text-2xl font-semibold tracking-[-0.02em]">{formatNumber(apiKey.usage)}</span>
            <span className="text-sm text-muted-foreground">
              of {formatNumber(apiKey.limit)} requests, {formatShare(share)}
            </span>
            <span className="ml-auto text-sm">{formatNumber(apiKey.remaining ?? 0)} remaining</span>
          </div>
          <MeterBar label={`Quota of ${apiKey.name}`} value={apiKey.usage} max={apiKey.limit} className="h-2" marked />
          <ThresholdMarks events={thresholds} />
        </>
      )}
    </TitledCard>
  );
}

export function KeyDetails({ apiKey }: { apiKey: ApiKeyWithUsage }) {
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
    { name: 'Expires', value: apiKey.expires_at ? <RelativeTime at={apiKey.expires_at} /> : 'never' },
    { name: 'Last used', value: apiKey.last_used_at ? <RelativeTime at={apiKey.last_used_at} /> : 'never' },
    { name: 'Created', value: <RelativeTime at={apiKey.created_at} /> },
    { name: 'Created by', value: apiKey.created_by },
    ...(apiKey.previous_secret_until
      ? [{ name: 'Old secret works until', value: <RelativeTime at={apiKey.previous_secret_until} /> }]
      : []),
  ];
  return (
    <TitledCard title="Details">
      <DetailList details={details} />
    </TitledCard>
  );
}

export function KeyForecast({ id }: { id: string }) {
  const forecasts = useCall(['forecast', id], forecastQuotas, { query: { api_key: id } }, { refetchInterval: 60_000 });
  return (
    <QueryCard
      title="Forecast"
      query={forecasts}
      empty={({ value }) => (value.length === 0 ? 'A revoked key has no forecast.' : null)}
    >
      {({ value }) =>
        value.slice(0, 1).map((forecast) => (
          <div key={forecast.api_key_id} className="flex flex-col gap-3">
            <p className="text-sm">{forecastWords(forecast)}</p>
            <DetailList details={forecastDetails(forecast)} className="grid-cols-2 lg:grid-cols-2" />
            <p className="text-xs text-muted-foreground">
              {forecast.interval_known
                ? 'Estimated from how much the days differ. Weekdays, trends and holidays are not taken into account.'
                : 'Fewer than three full days of use: the uncertainty is unknown.'}
            </p>
          </div>
        ))
      }
    </QueryCard>
  );
}

function forecastDetails(forecast: Forecast) {
  const { per_day, days_observed, earliest, latest, interval_known, runs_out_at } = forecast;
  const basis = days_observed === 0 ? 'today only' : `mean of ${countOf(days_observed, 'full day')}`;
  return [
    { name: 'Pace', value: `${formatNumber(Math.round(per_day))} a day, ${basis}` },
    ...(runs_out_at && interval_known
      ? [
          {
            name: '80 % likely',
            value: (
              <>
                {earliest ? <RelativeTime at={earliest} /> : 'unknown'} to{' '}
                {latest ? <RelativeTime at={latest} /> : 'not before the reset'}
              </>
            ),
          },
        ]
      : []),
    { name: 'Resets', value: <RelativeTime at={forecast.resets_at} /> },
  ];
}

const DAYS_SERIES: readonly Series[] = [
  { key: 'allowed', name: 'Allowed', color: 'var(--color-primary)' },
  { key: 'refused', name: 'Refused', color: 'var(--color-chart-ip)' },
];

/** Decisions on requests with this key in the last 30 days. */
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
        step={86_400_000}
        empty="This key was not used in the last 30 days."
      />
    </TitledCard>
  );
}
