'use client';

import { useQuery } from '@tanstack/react-query';
import { callApi } from '@/components/api-client';
import { explainError } from '@/components/explain-error';
import { formatNumber } from '@/components/format/number';
import { RelativeTime } from '@/components/format/relative-time';
import { DetailList } from '@/components/list/detail-list';
import { forecastWords } from '@/components/statistics/forecast-words';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { type Forecast, ForecastSchema } from '@/lib/contract/statistics';

const SCHEMA = ForecastSchema.array();

function details(forecast: Forecast) {
  const { per_day, days_observed, earliest, latest, interval_known, runs_out_at } = forecast;
  const basis =
    days_observed === 0 ? 'today alone' : `mean of ${days_observed} whole ${days_observed === 1 ? 'day' : 'days'}`;
  return [
    { name: 'Pace', value: `${formatNumber(Math.round(per_day))} a day, ${basis}` },
    ...(runs_out_at && interval_known
      ? [
          {
            name: 'Four times in five',
            value: (
              <>
                {earliest ? <RelativeTime at={earliest} /> : 'not known'} to{' '}
                {latest ? <RelativeTime at={latest} /> : 'not before it resets'}
              </>
            ),
          },
        ]
      : []),
    { name: 'Resets', value: <RelativeTime at={forecast.resets_at} /> },
  ];
}

/** When the key's quota runs out at its pace, and how sure that is. */
export function KeyForecast({ id }: { id: string }) {
  const { data, error } = useQuery({
    queryKey: ['forecast', id],
    queryFn: async ({ signal }) =>
      (await callApi('/v1/admin/statistics/forecast', { query: { api_key: id }, schema: SCHEMA, signal })).value,
    refetchInterval: 60_000,
  });
  const forecast = data?.[0];
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
                ? 'From how much the days differ. Days are taken as alike and independent: weekdays, trends and holidays are not foreseen.'
                : 'With fewer than three whole days of use nobody can say how sure this is.'}
            </p>
          </>
        ) : null}
      </CardContent>
    </Card>
  );
}
