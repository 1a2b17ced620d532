import { useQuery } from '@tanstack/react-query';
import { call } from '@/components/call';
import type { Series } from '@/components/chart/series';
import { TimeSeries } from '@/components/chart/time-series';
import { ListError } from '@/components/list/list-error';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { readKeyStatistics } from '@/lib/contract/statistics';

const DAY = 86_400_000;
const SERIES: readonly Series[] = [
  { key: 'allowed', name: 'Allowed', color: 'var(--primary)' },
  { key: 'refused', name: 'Refused', color: 'var(--chart-ip)' },
];

export function KeyDays({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['statistics', 'key', id],
    queryFn: ({ signal }) => call(readKeyStatistics, { params: { id }, query: { days: '30' }, signal }),
    refetchInterval: 60_000,
  });
  if (error && !data) return <ListError error={error} onRetry={() => void refetch()} />;
  return (
    <Card>
      <CardHeader>
        <CardTitle>Daily usage</CardTitle>
        <span className="text-sm text-muted-foreground">30 days, UTC</span>
      </CardHeader>
      <CardContent>
        <TimeSeries
          label="Daily usage"
          className="h-40"
          points={data?.value.days.map(({ day, allowed, refused }) => ({
            at: Date.parse(day),
            values: { allowed, refused },
          }))}
          series={SERIES}
          step={DAY}
          empty="This key was not used in the last 30 days."
        />
      </CardContent>
    </Card>
  );
}
