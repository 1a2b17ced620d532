import { keepPreviousData } from '@tanstack/react-query';
import { useCall } from '@/components/api/use-call';
import { OUTCOME_SERIES } from '@/components/chart/series';
import { TimeSeries } from '@/components/chart/time-series';
import type { DecisionTime } from '@/components/decisions/use-decision-time';
import { ListError } from '@/components/list/list-error';
import { readStatistics } from '@/lib/contract/statistics';

const SERIES = OUTCOME_SERIES.filter((series) => series.key !== 'allowed');

/** Shows refusals and bypasses over time. A click on a bar filters the list by its time. */
export function DecisionHistogram({ time: { span, step, pick } }: { time: DecisionTime }) {
  const [from, to] = span ? [new Date(span.from).toISOString(), new Date(span.to).toISOString()] : [];
  const { data, error, refetch } = useCall(
    ['statistics', 'decisions', span, step],
    readStatistics,
    { query: { from, to, step: String(step), top: '0' } },
    { enabled: span !== null, placeholderData: keepPreviousData, refetchInterval: 15_000 },
  );
  if (error && !data) return <ListError error={error} onRetry={() => void refetch()} />;
  return (
    <TimeSeries
      label="Refusals and bypasses"
      className="h-32"
      points={data?.value.points.map((point) => ({
        at: Date.parse(point.start),
        values: { bypassed: point.bypassed, degraded: point.degraded, observed: point.observed, ...point.reasons },
      }))}
      series={SERIES}
      step={step * 1000}
      empty="No refusals or bypasses in this period."
      onSelect={pick}
    />
  );
}
