'use client';

import { useQuery } from '@tanstack/react-query';
import { call } from '@/components/call';
import { explainError } from '@/components/explain-error';
import { countOf, formatNumber } from '@/components/format/number';
import { RelativeTime } from '@/components/format/relative-time';
import { DetailList } from '@/components/list/detail-list';
import { forecastWords } from '@/components/statistics/forecast-words';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
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
  const { data, error } = useQuery({
    queryKey: ['forecast', id],
    queryFn: ({ signal }) => call(forecastQuotas, { query: { api_key: id }, signal }),
    refetchInterval: 60_000,
  });
  const forecast = data?.value[0];
  return (
    <Card>
      <CardHeader>
        <CardTitle>Forecast</CardTitle>
      </CardHeader>
      <CardContent className="flex flex-col gap-3">
        {!data && !error ? <Skeleton className="h-20" /> : null}
        {!data && error ? <p className="text-sm text-destructive-text">{explainError(error).title}</p> : null}
        {data && !forecast ? <p className="text-sm text-muted-foreground">A revoked key has no forecast.</p> : null}
        {forecast ? (
          <>
            <p className="text-sm">{forecastWords(forecast)}</p>
            <DetailList details={details(forecast)} className="grid-cols-2 lg:grid-cols-2" />
            <p className="text-xs text-muted-foreground">
              {forecast.interval_known
                ? 'Estimated from how much the days differ. Weekdays, trends and holidays are not taken into account.'
                : 'Fewer than three full days of use: the uncertainty is unknown.'}
            </p>
          </>
        ) : null}
      </CardContent>
    </Card>
  );
}
