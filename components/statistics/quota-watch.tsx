'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { call } from '@/components/call';
import { explainError } from '@/components/explain-error';
import { formatNumber } from '@/components/format/number';
import { ThresholdMarks, useThresholdEvents } from '@/components/keys/thresholds';
import { forecastWords } from '@/components/statistics/forecast-words';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { MeterBar } from '@/components/ui/meter-bar';
import { Skeleton } from '@/components/ui/skeleton';
import { forecastQuotas } from '@/lib/contract/statistics';

/** Keys above 80 % of their quota, with a forecast each. */
export function QuotaWatch() {
  const { data: answer, error } = useQuery({
    queryKey: ['forecast'],
    queryFn: ({ signal }) => call(forecastQuotas, { query: { threshold: '80' }, signal }),
    refetchInterval: 60_000,
  });
  const data = answer?.value;
  const thresholds = useThresholdEvents().data ?? [];
  return (
    <Card>
      <CardHeader>
        <CardTitle>Quotas above 80 %</CardTitle>
        <Link href="/keys" prefetch={false} className="rounded-xs text-sm text-primary hover:underline">
          All keys
        </Link>
      </CardHeader>
      <CardContent>
        {!data && !error ? <Skeleton className="h-40" /> : null}
        {!data && error ? <p className="text-sm text-destructive-text">{explainError(error).title}</p> : null}
        {data?.length === 0 ? (
          <p className="py-6 text-center text-sm text-muted-foreground">Every key has room left.</p>
        ) : null}
        <ul className="flex flex-col gap-3.5">
          {data?.slice(0, 8).map((forecast) => (
            <li key={forecast.api_key_id} className="flex flex-col gap-1.5">
              <div className="flex items-baseline justify-between gap-3 text-sm">
                <Link
                  href={`/keys/${forecast.api_key_id}`}
                  prefetch={false}
                  className="min-w-0 truncate rounded-xs font-medium underline-offset-4 hover:underline"
                >
                  {forecast.name}
                </Link>
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
      </CardContent>
    </Card>
  );
}
