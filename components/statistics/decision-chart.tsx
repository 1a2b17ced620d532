import { OUTCOME_SERIES } from '@/components/chart/series';
import { TimeSeries } from '@/components/chart/time-series';
import { formatNumber, formatShare } from '@/components/format/number';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { ListError } from '@/components/list/list-error';
import { SPAN_SECONDS, type Span, type StatisticsQuery } from '@/components/statistics/use-statistics';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import type { Statistics } from '@/lib/contract/statistics';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

function total(counts: { allowed: number; refused: number; bypassed: number; degraded: number }): number {
  return counts.allowed + counts.refused + counts.bypassed + counts.degraded;
}

function ClassFigures({ statistics }: { statistics: Statistics | undefined }) {
  return (
    <dl className="grid grid-cols-2 border-t sm:grid-cols-4">
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

/** Decisions over time, by outcome and reason, with the refusals of each class. */
export function DecisionChart({ statistics: query, span }: { statistics: StatisticsQuery; span: Span }) {
  const { error, refetch } = query;
  const data = query.data?.value;
  if (error && !data) return <ListError error={error} onRetry={() => void refetch()} />;
  return (
    <Card>
      <CardHeader>
        <CardTitle>Decisions</CardTitle>
        <span className="flex items-center gap-3 text-sm text-muted-foreground tabular-nums">
          {data ? `${formatNumber(total(data.totals))} total` : null}
        </span>
      </CardHeader>
      <CardContent>
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
      </CardContent>
      <ClassFigures statistics={data} />
    </Card>
  );
}
