import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '@/components/call';
import { OUTCOME_SERIES } from '@/components/chart/series';
import { TimeSeries } from '@/components/chart/time-series';
import { formatNumber, formatShare } from '@/components/format/number';
import { SubjectName } from '@/components/identifier/subject-name';
import { KeyLink } from '@/components/keys/client-name';
import { ThresholdMarks, useThresholdEvents } from '@/components/keys/thresholds';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { ListError } from '@/components/list/list-error';
import { QueryCard } from '@/components/list/query-card';
import { forecastWords } from '@/components/statistics/forecast-words';
import { TitledCard } from '@/components/ui/card';
import { MeterBar } from '@/components/ui/meter-bar';
import { useCall } from '@/components/use-call';
import { forecastQuotas, readStatistics, type Statistics } from '@/lib/contract/statistics';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

export const SPANS = ['1h', '24h', '30d'] as const;
type Span = (typeof SPANS)[number];

/** Length of the span and of one bar in it, in seconds. */
const SPAN_SECONDS: Record<Span, { length: number; step: number }> = {
  '1h': { length: 3_600, step: 60 },
  '24h': { length: 86_400, step: 1_800 },
  '30d': { length: 2_592_000, step: 86_400 },
};

/** Decisions over the last hour, day or month, refetched while the page is visible. */
export function useStatistics(span: Span) {
  const { length, step } = SPAN_SECONDS[span];
  return useQuery({
    queryKey: ['statistics', span],
    queryFn: ({ signal }) => {
      const now = Date.now();
      const query = {
        from: new Date(now - length * 1000).toISOString(),
        to: new Date(now).toISOString(),
        step: String(step),
        top: '8',
      };
      return call(readStatistics, { query, signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: span === '1h' ? 5_000 : 30_000,
  });
}

type StatisticsQuery = ReturnType<typeof useStatistics>;

function total(counts: { allowed: number; refused: number; bypassed: number; degraded: number }): number {
  return counts.allowed + counts.refused + counts.bypassed + counts.degraded;
}

function ClassFigures({ statistics }: { statistics: Statistics | undefined }) {
  return (
    <dl className="grid grid-cols-2 border-t sm:grid-cols-5">
      {ENDPOINT_CLASSES.map((name) => {
        const counts = statistics?.totals.classes[name];
        const all = counts ? total(counts) : 0;
        return (
          <div
            key={name}
            className="border-border px-4 py-3 not-last:border-r max-sm:nth-2:border-r-0 max-sm:nth-[n+3]:border-t"
          >
            <dt className="text-xs text-muted-foreground">{CLASS_NAMES[name]} refused</dt>
            <dd className="mt-0.5 flex items-baseline gap-1.5 tabular-nums">
              <span className="text-lg font-semibold">{counts ? formatNumber(counts.refused) : '–'}</span>
              {counts && counts.refused > 0 ? (
                <span className="text-xs text-muted-foreground">{formatShare(counts.refused / all)}</span>
              ) : null}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

export function DecisionChart({ statistics: query, span }: { statistics: StatisticsQuery; span: Span }) {
  const { error, refetch } = query;
  const data = query.data?.value;
  if (error && !data) return <ListError error={error} onRetry={() => void refetch()} />;
  const sum = data ? `${formatNumber(total(data.totals))} total` : null;
  return (
    <TitledCard
      title="Decisions"
      aside={<span className="text-sm text-muted-foreground tabular-nums">{sum}</span>}
      className="px-0 pb-0"
    >
      <div className="px-4 pb-4">
        <TimeSeries
          label="Decisions"
          points={data?.points.map((point) => ({
            at: Date.parse(point.start),
            values: { allowed: point.allowed, bypassed: point.bypassed, degraded: point.degraded, ...point.reasons },
          }))}
          series={OUTCOME_SERIES}
          step={(data?.step ?? SPAN_SECONDS[span].step) * 1000}
          empty="No decisions in this time."
        />
      </div>
      <ClassFigures statistics={data} />
    </TitledCard>
  );
}

export function TopRefused({ statistics }: { statistics: StatisticsQuery }) {
  const most = Math.max(1, ...(statistics.data?.value.top_refused.map((entry) => entry.refused) ?? []));
  return (
    <QueryCard
      title="Most refused"
      more={{ href: '/decisions', label: 'All decisions' }}
      query={statistics}
      empty={({ value }) => (value.top_refused.length === 0 ? 'No refusals in this time.' : null)}
    >
      {({ value }) => (
        <ul className="flex flex-col gap-2.5">
          {value.top_refused.map((entry) => (
            <li key={`${entry.type} ${entry.identifier}`} className="flex flex-col gap-1">
              <div className="flex h-6 items-center justify-between gap-3">
                {entry.type === 'global' ? (
                  <span className="text-sm">Global throttle</span>
                ) : (
                  <SubjectName subject={entry.type} identifier={entry.identifier} />
                )}
                <span className="flex shrink-0 items-center gap-3 text-xs tabular-nums">
                  <span className="text-muted-foreground">
                    {ENDPOINT_CLASSES.filter((name) => entry.classes[name])
                      .map((name) => CLASS_NAMES[name])
                      .join(', ')}
                  </span>
                  <span className="font-medium">{formatNumber(entry.refused)}</span>
                </span>
              </div>
              <div
                aria-hidden
                className="h-1 rounded-full bg-chart-ip/70"
                style={{ width: `${(entry.refused / most) * 100}%` }}
              />
            </li>
          ))}
        </ul>
      )}
    </QueryCard>
  );
}

/** Keys above 80 % of their quota, with a forecast each. */
export function QuotaWatch() {
  const forecasts = useCall(['forecast'], forecastQuotas, { query: { threshold: '80' } }, { refetchInterval: 60_000 });
  const thresholds = useThresholdEvents();
  return (
    <QueryCard
      title="Quotas above 80 %"
      more={{ href: '/keys', label: 'All keys' }}
      query={forecasts}
      empty={({ value }) => (value.length === 0 ? 'Every key has room left.' : null)}
    >
      {({ value }) => (
        <ul className="flex flex-col gap-3.5">
          {value.slice(0, 8).map((forecast) => (
            <li key={forecast.api_key_id} className="flex flex-col gap-1.5">
              <div className="flex items-baseline justify-between gap-3 text-sm">
                <KeyLink id={forecast.api_key_id} className="min-w-0 truncate font-medium">
                  {forecast.name}
                </KeyLink>
                <span className="shrink-0 text-xs text-muted-foreground tabular-nums">
                  {formatNumber(forecast.usage)} of {formatNumber(forecast.limit)}
                </span>
              </div>
              <MeterBar label={`Quota of ${forecast.name}`} value={forecast.usage} max={forecast.limit} marked />
              <p className="text-xs text-muted-foreground">{forecastWords(forecast)}</p>
              <ThresholdMarks events={thresholds.filter((event) => event.apiKeyId === forecast.api_key_id)} />
            </li>
          ))}
        </ul>
      )}
    </QueryCard>
  );
}
