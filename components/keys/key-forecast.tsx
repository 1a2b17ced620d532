import { useQuery } from '@tanstack/react-query';
import { call } from '@/components/call';
import { countOf, formatNumber } from '@/components/format/number';
import { RelativeTime } from '@/components/format/relative-time';
import { DetailList } from '@/components/list/detail-list';
import { QueryCard } from '@/components/list/query-card';
import { forecastWords } from '@/components/statistics/forecast-words';
import { type Forecast, forecastQuotas } from '@/lib/contract/statistics';

function details(forecast: Forecast) {
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

export function KeyForecast({ id }: { id: string }) {
  const forecasts = useQuery({
    queryKey: ['forecast', id],
    queryFn: ({ signal }) => call(forecastQuotas, { query: { api_key: id }, signal }),
    refetchInterval: 60_000,
  });
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
            <DetailList details={details(forecast)} className="grid-cols-2 lg:grid-cols-2" />
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
