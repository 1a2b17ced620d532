import { useRouter } from 'next/navigation';
import { countRefusals, OUTCOME_SERIES, REFUSED_SERIES } from '@/components/chart/series';
import { TimeSeries } from '@/components/chart/time-series';
import { formatShare } from '@/components/format/number';
import { buildDecisionsHref, findSeriesHref, RANGE_STEPS } from '@/components/links/decisions-href';
import { ListError } from '@/components/list/list-error';
import { ClassFigures } from '@/components/statistics/class-figures';
import { LimitCharts, LimitSelect } from '@/components/statistics/limit-charts';
import { type Span, type StatisticsQuery, sumCounts } from '@/components/statistics/use-statistics';
import { TitledCard } from '@/components/ui/card';
import type { OutcomeCounts } from '@/lib/contract/statistics';
import { formatNumber } from '@/lib/format-number';

const OUTCOMES = [
  ...OUTCOME_SERIES.filter(({ key }) => ['allowed', 'bypassed', 'degraded', 'observed'].includes(key)),
  REFUSED_SERIES,
];
const REASONS = OUTCOME_SERIES.filter((series) => !OUTCOMES.includes(series));

interface DecisionChartProps {
  statistics: StatisticsQuery;
  span: Span;
  /** The named limit that is charted, or null for all decisions. */
  limit: string | null;
  onLimit: (name: string | null) => void;
}

/**
 * Charts decisions by outcome and, on a separate scale, refusals by reason, so that a few refusals among millions of
 * requests stay visible. Bars, legends and figures link to the decisions they count.
 */
export function DecisionChart({ statistics: query, span, limit, onLimit }: DecisionChartProps) {
  const router = useRouter();
  const { error, refetch } = query;
  const data = query.data?.value;
  if (error && !data) return <ListError error={error} onRetry={() => void refetch()} />;
  const step = data?.step ?? RANGE_STEPS[span].step;
  const shared = {
    step: step * 1000,
    hint: 'Enter opens the decisions of the chosen time.',
    createHref: (key: string) => findSeriesHref(key, span),
  };
  return (
    <TitledCard
      title="Decisions"
      aside={
        <div className="flex flex-wrap items-center gap-3">
          {limit === null ? <Sum totals={data?.totals} /> : null}
          <LimitSelect value={limit} onChange={onLimit} />
        </div>
      }
      className="px-0 pb-0"
    >
      {limit === null ? (
        <>
          <div className="flex flex-col gap-5 px-4 pb-4">
            <TimeSeries
              {...shared}
              label="Decisions"
              points={data?.points.map(({ start, allowed, bypassed, degraded, observed, refused }) => ({
                at: Date.parse(start),
                values: { allowed, bypassed, degraded, observed, refused },
              }))}
              series={OUTCOMES}
              empty="No decisions in this period."
              className="h-44"
              onSelect={(from) => router.push(buildDecisionsHref({ range: span, bar: { from, step } }))}
            />
            {data?.totals.refused === 0 ? null : (
              <TimeSeries
                {...shared}
                label="Refused"
                points={data?.points.map((point) => ({ at: Date.parse(point.start), values: countRefusals(point) }))}
                series={REASONS}
                empty="No refusals in this period."
                className="h-32"
                onSelect={(from) =>
                  router.push(buildDecisionsHref({ range: span, outcome: 'refused', bar: { from, step } }))
                }
              />
            )}
          </div>
          <ClassFigures statistics={data} span={span} />
        </>
      ) : (
        <LimitCharts name={limit} statistics={data} span={span} />
      )}
    </TitledCard>
  );
}

function Sum({ totals }: { totals: OutcomeCounts | undefined }) {
  if (!totals) return null;
  const all = sumCounts(totals);
  return (
    <span className="text-sm text-muted-foreground tabular-nums">
      {formatNumber(all)} total{all > 0 ? `, ${formatShare(totals.refused / all)} refused` : ''}
    </span>
  );
}
