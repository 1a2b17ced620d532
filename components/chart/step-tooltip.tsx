import { formatStep } from '@/components/chart/axes';
import type { ChartPoint, Series } from '@/components/chart/series';
import { formatNumber } from '@/lib/format-number';

interface StepTooltipProps {
  point: ChartPoint;
  series: readonly Series[];
  /** Length of a step, in milliseconds. */
  step: number;
  zone: string;
}

/** Lists the values of one step, top layer first. */
export function StepTooltip({ point, series, step, zone }: StepTooltipProps) {
  const rows = series.filter((layer) => (point.values[layer.key] ?? 0) > 0);
  return (
    <div className="w-max min-w-44 rounded-md border bg-popover px-2.5 py-2 text-xs text-popover-foreground shadow-(--shadow-pop)">
      <p className="mb-1 font-medium">{formatStep(point.at, step, zone)}</p>
      {rows.length === 0 ? <p className="text-muted-foreground">Nothing</p> : null}
      {[...rows].reverse().map((layer) => (
        <p key={layer.key} className="flex items-center gap-2">
          <span aria-hidden className="size-2 rounded-xs" style={{ background: layer.color }} />
          <span className="text-muted-foreground">{layer.name}</span>
          <span className="ml-auto pl-4 tabular-nums">{formatNumber(point.values[layer.key] ?? 0)}</span>
        </p>
      ))}
    </div>
  );
}
