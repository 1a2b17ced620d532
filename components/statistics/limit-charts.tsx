import { useRouter } from 'next/navigation';
import { OUTCOME_SERIES, REFUSED_SERIES, type Series } from '@/components/chart/series';
import { TimeSeries } from '@/components/chart/time-series';
import { buildDecisionsHref, findSeriesHref, RANGE_STEPS } from '@/components/links/decisions-href';
import { useNamedLimits } from '@/components/named-limits/limits';
import type { Span } from '@/components/statistics/use-statistics';
import { NativeSelect } from '@/components/ui/native-select';
import { capitalize } from '@/lib/capitalize';
import type { Statistics } from '@/lib/contract/statistics';
import { formatNumber } from '@/lib/format-number';

type LimitCounts = Statistics['totals']['limits'][string];

const OUTCOMES = [
  ...OUTCOME_SERIES.filter(({ key }) => ['allowed', 'degraded', 'observed'].includes(key)),
  REFUSED_SERIES,
];
const listUnitSeries = (unit: string): readonly Series[] => [
  { key: 'units', name: `Counted ${unit}`, color: 'var(--color-chart-allowed)' },
  { key: 'refused_units', name: `Refused ${unit}`, color: 'var(--color-chart-ip)' },
];

/** Chooses all decisions or those of one named limit. Renders nothing while there are no named limits. */
export function LimitSelect({ value, onChange }: { value: string | null; onChange: (name: string | null) => void }) {
  const limits = useNamedLimits().data?.value ?? [];
  const names = limits.map(({ name }) => name);
  const options = value === null || names.includes(value) ? names : [value, ...names];
  if (options.length === 0) return null;
  return (
    <NativeSelect
      aria-label="Decisions of"
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
      options={[{ value: '', label: 'All decisions' }, ...options.map((name) => ({ value: name, label: name }))]}
      className="max-w-56"
    />
  );
}

/** Returns the counts of a limit. Undefined if it has none. */
function findCounts(limits: Statistics['totals']['limits'], name: string): LimitCounts | undefined {
  return Object.hasOwn(limits, name) ? limits[name] : undefined;
}

interface LimitChartsProps {
  name: string;
  statistics: Statistics | undefined;
  span: Span;
}

/** Charts the decisions of one named limit by outcome, and the units that they count. */
export function LimitCharts({ name, statistics, span }: LimitChartsProps) {
  const router = useRouter();
  const unit = useNamedLimits().data?.value.find((limit) => limit.name === name)?.unit ?? 'units';
  const step = statistics?.step ?? RANGE_STEPS[span].step;
  const points = statistics?.points.map(({ start, limits }) => ({
    at: Date.parse(start),
    values: { ...findCounts(limits, name) },
  }));
  const shared = {
    ...{ points, step: step * 1000 },
    hint: 'Enter opens the decisions of the chosen time.',
    onSelect: (from: number) => router.push(buildDecisionsHref({ range: span, limit_name: name, bar: { from, step } })),
  };
  return (
    <div className="flex flex-col gap-5 px-4 pb-4">
      <TimeSeries
        {...shared}
        label={`Decisions of ${name}`}
        series={OUTCOMES}
        empty="No decisions in this period."
        className="h-44"
        createHref={(key) => findSeriesHref(key, span, name)}
      />
      <TimeSeries
        {...shared}
        label={capitalize(unit)}
        series={listUnitSeries(unit)}
        noun={unit}
        empty={`No ${unit} in this period.`}
        className="h-32"
      />
      <SettlementNote counts={findCounts(statistics?.totals.limits ?? {}, name)} unit={unit} />
    </div>
  );
}

/** Shows how many units were reserved and settled. Renders nothing if there were none. */
function SettlementNote({ counts, unit }: { counts: LimitCounts | undefined; unit: string }) {
  if (counts === undefined || counts.reserved + counts.settled === 0) return null;
  const { units, reserved, settled, settled_used: used } = counts;
  return (
    <p className="text-sm text-muted-foreground tabular-nums">
      {formatNumber(reserved)} of {formatNumber(units)} counted {unit} were reserved. Settlements replaced{' '}
      {formatNumber(settled)} by {formatNumber(used)}; {formatNumber(units - settled + used)} were used.
    </p>
  );
}
