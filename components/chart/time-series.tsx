import type { ChartPoint, Series } from '@/components/chart/series';
import { StackedBars } from '@/components/chart/stacked-bars';
import { formatNumber } from '@/components/format/number';
import { cn } from '@/components/ui/cn';
import { Skeleton } from '@/components/ui/skeleton';

interface TimeSeriesProps {
  label: string;
  /** Undefined while they load. */
  points: readonly ChartPoint[] | undefined;
  series: readonly Series[];
  /** Length of a step in milliseconds. */
  step: number;
  empty: string;
  className?: string;
  /** Called with the start of the step that was clicked. */
  onSelect?: (at: number) => void;
}

/**
 * A stacked chart over time with its legend, a text for when it is empty, and a summary for screen readers.
 */
export function TimeSeries({ label, points, series, step, empty, className, onSelect }: TimeSeriesProps) {
  const totals = series.map((layer) => ({
    ...layer,
    total: points?.reduce((sum, point) => sum + (point.values[layer.key] ?? 0), 0) ?? 0,
  }));
  const present = totals.filter((layer) => layer.total > 0);
  const summary = `${label}: ${present.map((layer) => `${layer.name} ${formatNumber(layer.total)}`).join(', ') || empty}`;
  return (
    <figure className="flex min-w-0 flex-col gap-3">
      <div {...(onSelect ? {} : { role: 'img', 'aria-label': summary })} className={cn('relative h-56', className)}>
        {points === undefined ? <Skeleton className="h-full rounded-md" /> : null}
        {points && present.length > 0 ? (
          <div aria-hidden={onSelect ? undefined : true} className="absolute inset-0">
            <StackedBars points={points} series={series} step={step} label={summary} onSelect={onSelect} />
          </div>
        ) : null}
        {points && present.length === 0 ? (
          <div className="grid h-full place-items-center rounded-md border border-dashed text-sm text-muted-foreground">
            {empty}
          </div>
        ) : null}
      </div>
      {present.length > 0 ? (
        <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
          {present.map((layer) => (
            <span key={layer.key} className="inline-flex items-center gap-1.5">
              <span aria-hidden className="size-2 rounded-xs" style={{ background: layer.color }} />
              <span className="text-muted-foreground">{layer.name}</span>
              <span className="tabular-nums">{formatNumber(layer.total)}</span>
            </span>
          ))}
        </figcaption>
      ) : null}
    </figure>
  );
}
