'use client';

import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { ChartPoint, Series } from '@/components/chart/series';
import { formatStep, formatTick } from '@/components/chart/time-axis';
import { formatCompact, formatNumber } from '@/components/format/number';

interface StackedBarsProps {
  points: readonly ChartPoint[];
  series: readonly Series[];
  /** Milliseconds. */
  step: number;
  onSelect?: (at: number) => void;
}

/** The drawing of a stacked chart over time. Loaded on its own, because the library is large. */
export default function StackedBars({ points, series, step, onSelect }: StackedBarsProps) {
  const span = points.length * step;
  const axis = { fontSize: 11, fill: 'var(--muted-foreground)' };
  return (
    <ResponsiveContainer width="100%" height="100%">
      <BarChart
        data={[...points]}
        margin={{ top: 4, right: 0, bottom: 0, left: 0 }}
        barCategoryGap={points.length > 70 ? 0.5 : 1.5}
        accessibilityLayer={false}
        onClick={(state) => {
          const index = Number(state.activeTooltipIndex ?? Number.NaN);
          const point = points[index];
          if (point && onSelect) onSelect(point.at);
        }}
      >
        <CartesianGrid vertical={false} stroke="var(--border)" />
        <XAxis
          dataKey="at"
          tickFormatter={(at: number) => formatTick(at, span)}
          tickLine={false}
          axisLine={false}
          minTickGap={44}
          tickMargin={6}
          tick={axis}
        />
        <YAxis
          tickFormatter={formatCompact}
          width={36}
          tickLine={false}
          axisLine={false}
          allowDecimals={false}
          tickCount={4}
          tick={axis}
        />
        <Tooltip
          cursor={{ fill: 'var(--foreground)', fillOpacity: 0.05 }}
          isAnimationActive={false}
          content={({ active, payload }) => {
            const point = payload?.[0]?.payload as ChartPoint | undefined;
            return active && point ? <StepTooltip point={point} series={series} step={step} /> : null;
          }}
        />
        {series.map((one) => (
          <Bar
            key={one.key}
            name={one.name}
            stackId="all"
            dataKey={(point: ChartPoint) => point.values[one.key] ?? 0}
            fill={one.color}
            isAnimationActive={false}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  );
}

function StepTooltip({ point, series, step }: { point: ChartPoint; series: readonly Series[]; step: number }) {
  const rows = series.filter((one) => (point.values[one.key] ?? 0) > 0);
  return (
    <div className="min-w-44 rounded-md border bg-popover px-2.5 py-2 text-xs shadow-(--shadow-pop)">
      <p className="mb-1 font-medium">{formatStep(point.at, step)}</p>
      {rows.length === 0 ? <p className="text-muted-foreground">Nothing</p> : null}
      {[...rows].reverse().map((one) => (
        <p key={one.key} className="flex items-center gap-2">
          <span aria-hidden className="size-2 rounded-xs" style={{ background: one.color }} />
          <span className="text-muted-foreground">{one.name}</span>
          <span className="ml-auto pl-4 tabular-nums">{formatNumber(point.values[one.key] ?? 0)}</span>
        </p>
      ))}
    </div>
  );
}
