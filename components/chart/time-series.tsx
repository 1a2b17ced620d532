import { type PointerEvent, useState } from 'react';
import { chooseAxisZone, chooseTimeTicks, computeValueTicks, formatTick, nameStep } from '@/components/chart/axes';
import { ChartLegend } from '@/components/chart/chart-legend';
import { buildSliderProps } from '@/components/chart/keyboard-choice';
import type { ChartPoint, Series } from '@/components/chart/series';
import { StackedPaths } from '@/components/chart/stacked-paths';
import { StepTooltip } from '@/components/chart/step-tooltip';
import { formatCompact } from '@/components/format/number';
import { nameZone } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { cn } from '@/components/ui/cn';
import { Skeleton } from '@/components/ui/skeleton';
import { formatNumber } from '@/lib/format-number';

interface BarsProps {
  points: readonly ChartPoint[];
  series: readonly Series[];
  /** Length of a step, in milliseconds. */
  step: number;
  /** Summary for screen readers. */
  label: string;
  zone: string;
  /** Noun of what the chart counts, in the plural: by default decisions. */
  noun?: string;
  /** Receives the start of the clicked step. */
  onSelect?: (at: number) => void;
  /** Times of the selected steps. Their background is marked, and the legend counts only them. */
  picked?: { from: number; to: number } | null;
  /** Describes what selecting a step does: "Enter narrows the list to the chosen time." */
  hint?: string;
}

interface TimeSeriesProps extends Omit<BarsProps, 'points' | 'zone'> {
  /** Undefined while the points load. */
  points: BarsProps['points'] | undefined;
  empty: string;
  className?: string;
  /** Link of a series in the legend. Null if it has none. */
  createHref?: (key: string) => string | null;
}

/** Stacked chart over time, with a legend, a text for empty data, and a summary for screen readers. */
export function TimeSeries(props: TimeSeriesProps) {
  const { label, points, series, step, noun, empty, className, picked, onSelect, hint, createHref } = props;
  const { zone } = useTimeZone();
  const totals = series.map((layer) => ({
    ...layer,
    ...sumLayer(points ?? [], layer.key, picked),
  }));
  const present = totals.filter((layer) => layer.isDrawn);
  const summary = `${label}: ${present.map((layer) => `${layer.name} ${formatNumber(layer.total)}`).join(', ') || empty}`;
  return (
    <figure className="flex min-w-0 flex-col gap-3">
      <div {...(onSelect ? {} : { role: 'img', 'aria-label': summary })} className={cn('relative h-56', className)}>
        {points === undefined ? <Skeleton className="h-full rounded-md" /> : null}
        {points && present.length > 0 ? (
          <div aria-hidden={onSelect ? undefined : true} className="absolute inset-0">
            <StackedBars {...{ points, series, step, noun, zone, picked, onSelect, hint }} label={summary} />
          </div>
        ) : null}
        {points && present.length === 0 ? (
          <div className="grid h-full place-items-center rounded-md border border-dashed text-sm text-muted-foreground">
            {empty}
          </div>
        ) : null}
      </div>
      {present.length > 0 ? (
        <ChartLegend
          entries={present}
          createHref={createHref}
          zone={nameZone(points?.at(-1)?.at ?? 0, chooseAxisZone(step, zone))}
          unit={nameStep(step)}
        />
      ) : null}
    </figure>
  );
}

/** Sums a series over the selected steps, or over all of them. */
function sumLayer(points: readonly ChartPoint[], key: string, picked: BarsProps['picked']) {
  const sum = (part: readonly ChartPoint[]) => part.reduce((total, point) => total + (point.values[key] ?? 0), 0);
  const isPicked = ({ at }: ChartPoint) => !picked || (at >= picked.from && at < picked.to);
  return { total: sum(points.filter(isPicked)), isDrawn: sum(points) > 0 };
}

/** Draws the bars as one stretched SVG and the axes as HTML text, so that nothing has to be measured. */
function StackedBars({ points, series, step, noun = 'decisions', zone, label, picked, onSelect, hint }: BarsProps) {
  // The choice is stored by time, because indexes shift when the next step begins.
  const [chosen, setChosen] = useState<number | null>(null);
  const place = points.findIndex((step) => step.at === chosen);
  const hovered = place < 0 ? null : place;
  const choose = (index: number | null) => setChosen(index === null ? null : (points[index]?.at ?? null));
  const sums = points.map((point) => series.reduce((sum, layer) => sum + (point.values[layer.key] ?? 0), 0));
  const ticks = computeValueTicks(Math.max(1, ...sums));
  const top = ticks.at(-1) ?? 1;
  const handleHover = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    choose(Math.floor(((event.clientX - box.left) / box.width) * points.length));
  };
  const point = hovered === null ? undefined : points[hovered];
  const choice = onSelect
    ? buildSliderProps({ points, sums, step, zone, label, noun, hint, index: hovered, choose, select: onSelect })
    : {};
  return (
    <div className="grid size-full grid-cols-[2.25rem_minmax(0,1fr)] grid-rows-[minmax(0,1fr)_1.25rem] pt-2 text-2xs text-muted-foreground tabular-nums">
      <div className="relative">
        {ticks.map((value) => (
          <span
            key={value}
            className="absolute right-2 translate-y-1/2 leading-none"
            style={{ bottom: `${(value / top) * 100}%` }}
          >
            {formatCompact(value)}
          </span>
        ))}
      </div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: `choice` has the role and the keys */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <div
        {...choice}
        className={cn(
          'relative rounded-xs outline-none focus-visible:ring-2 focus-visible:ring-ring',
          onSelect && 'cursor-pointer',
        )}
        onPointerMove={handleHover}
        onPointerLeave={() => choose(null)}
        onClick={() => point && onSelect?.(point.at)}
      >
        {ticks.map((value) => (
          <span
            key={value}
            className={cn('absolute inset-x-0 border-t', value === 0 && 'border-input')}
            style={{ bottom: `${(value / top) * 100}%` }}
          />
        ))}
        {picked ? <PickedSteps points={points} picked={picked} /> : null}
        {point && hovered !== null ? (
          <span
            className="absolute inset-y-0 bg-foreground/[0.06]"
            style={{ left: `${(hovered / points.length) * 100}%`, width: `${100 / points.length}%` }}
          />
        ) : null}
        <StackedPaths points={points} series={series} top={top} />
        {point && hovered !== null ? (
          <div
            className={cn(
              'pointer-events-none absolute top-0 z-10',
              hovered >= points.length / 2 ? '-translate-x-[calc(100%+0.5rem)]' : 'translate-x-2',
            )}
            style={{ left: `${((hovered + (hovered >= points.length / 2 ? 0 : 1)) / points.length) * 100}%` }}
          >
            <StepTooltip point={point} series={series} step={step} zone={zone} />
          </div>
        ) : null}
      </div>
      <div className="relative col-start-2">
        {chooseTimeTicks(points, step, chooseAxisZone(step, zone)).map((index, place) => (
          <span
            key={points[index]?.at}
            className={cn(
              'absolute bottom-0 leading-none whitespace-nowrap',
              index > 0 && '-translate-x-1/2',
              place % 2 === 1 && 'max-sm:hidden',
            )}
            style={{ left: `${(index / points.length) * 100}%` }}
          >
            {formatTick(points[index]?.at ?? 0, points.length * step, chooseAxisZone(step, zone))}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Marks the background of the selected steps. */
function PickedSteps({ points, picked }: { points: readonly ChartPoint[]; picked: NonNullable<BarsProps['picked']> }) {
  const selected = points.flatMap(({ at }, index) => (at >= picked.from && at < picked.to ? index : []));
  const [first] = selected;
  if (first === undefined) return null;
  return (
    <span
      className="absolute inset-y-0 bg-primary-soft"
      style={{ left: `${(first / points.length) * 100}%`, width: `${(selected.length / points.length) * 100}%` }}
    />
  );
}
