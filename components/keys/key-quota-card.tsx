import type { ReactNode } from 'react';
import { useCall } from '@/components/api/use-call';
import { formatShare } from '@/components/format/number';
import { formatDate } from '@/components/format/time';
import { Timestamp } from '@/components/format/timestamp';
import { describeForecast } from '@/components/keys/forecast-words';
import { computeMonthStart, ThresholdMarks, useThresholdEvents } from '@/components/keys/thresholds';
import { DetailList } from '@/components/list/detail-list';
import { FailedPart } from '@/components/list/failed-part';
import { TitledCard } from '@/components/ui/card';
import { MeterBar } from '@/components/ui/meter-bar';
import { Skeleton } from '@/components/ui/skeleton';
import { type Forecast, forecastQuotas } from '@/lib/contract/forecasts';
import { type ApiKeyWithUsage, computeQuotaShare } from '@/lib/contract/keys';
import { formatCount, formatNumber } from '@/lib/format-number';

/** Shows what a key has used this month and how long the rest lasts. */
export function KeyQuota({ apiKey, children }: { apiKey: ApiKeyWithUsage; children?: ReactNode }) {
  const share = computeQuotaShare(apiKey);
  const since = computeMonthStart(apiKey.reset_at, apiKey.month_starts_on);
  // A grant or another tier raises the limit, and thresholds that were reached are then ahead again.
  const thresholds = useThresholdEvents(apiKey.id).filter(
    ({ at, percent }) => Date.parse(at) >= since && (share === null || percent <= share * 100),
  );
  const resets = (
    <span className="text-sm text-muted-foreground">
      resets {formatDate(apiKey.reset_at, 'UTC')} <span className="max-sm:hidden">(UTC)</span>
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
      {children}
      {apiKey.revoked_at === null ? <Outlook id={apiKey.id} /> : null}
    </TitledCard>
  );
}

function Outlook({ id }: { id: string }) {
  const { data, error, refetch } = useCall(
    ['api-keys', id, 'forecast'],
    forecastQuotas,
    { query: { api_key: id } },
    { refetchInterval: 60_000 },
  );
  const forecast = data?.value[0];
  if (error && !data) return <FailedPart error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-16" />;
  if (!forecast) return null;
  return (
    <div className="flex flex-col gap-3 border-t pt-3">
      <p className="text-sm">{describeForecast(forecast)}</p>
      <DetailList details={buildOutlookDetails(forecast)} className="grid-cols-2 lg:grid-cols-2" />
      <p className="text-xs text-muted-foreground">{describeBasis(forecast)}</p>
    </div>
  );
}

function buildOutlookDetails({ per_day, runs_out_at, exhausted }: Forecast) {
  const pace = { name: 'Pace', value: `${formatNumber(Math.round(per_day))} a day` };
  if (exhausted) return [pace];
  return [pace, { name: 'Runs out', value: runs_out_at ? <Timestamp at={runs_out_at} /> : 'not before the reset' }];
}

function describeBasis({ days_observed, interval_known }: Forecast): string {
  if (days_observed === 0) return 'The pace is based on today only.';
  const basis = `The pace is the mean of ${formatCount(days_observed, 'full day')}.`;
  return interval_known
    ? `${basis} Weekdays, trends and holidays are not taken into account.`
    : `${basis} With fewer than three, there is no range.`;
}
