import { countRefusals, OUTCOME_SERIES } from '@/components/chart/series';
import { TimeSeries } from '@/components/chart/time-series';
import type { CountsQuery } from '@/components/decisions/use-decision-counts';
import type { DecisionTime } from '@/components/decisions/use-decision-time';
import { ListError } from '@/components/list/list-error';

const SERIES = OUTCOME_SERIES.filter((series) => series.key !== 'allowed');

interface DecisionHistogramProps {
  time: DecisionTime;
  counts: CountsQuery;
  /** Link of a series in the legend. */
  createHref: (key: string) => string | null;
}

/** Shows the matching decisions over time. A click on a bar filters the list by its time. */
export function DecisionHistogram({ time: { step, picked, pick }, counts, createHref }: DecisionHistogramProps) {
  const { data, error, refetch } = counts;
  if (error && !data) return <ListError error={error} onRetry={() => void refetch()} />;
  return (
    <TimeSeries
      label="Refusals and bypasses"
      className="h-32"
      points={data?.value.points.map((point) => ({
        at: Date.parse(point.start),
        values: {
          ...{ bypassed: point.bypassed, degraded: point.degraded, observed: point.observed },
          ...countRefusals(point),
        },
      }))}
      series={SERIES}
      step={step * 1000}
      empty="No refusals or bypasses in this period."
      picked={picked && { from: picked.from.getTime(), to: picked.to.getTime() }}
      onSelect={pick}
      createHref={createHref}
    />
  );
}
