import type { ChartPoint, Series } from '@/components/chart/series';

interface StackedPathsProps {
  points: readonly ChartPoint[];
  series: readonly Series[];
  /** Value at the top of the axis. */
  top: number;
}

/** Draws one path per series, so that the number of DOM nodes does not depend on the number of steps. */
export function StackedPaths({ points, series, top }: StackedPathsProps) {
  const heights = points.map(() => 0);
  const gap = points.length > 70 ? 0.1 : 0.14;
  return (
    <svg
      viewBox={`0 0 ${points.length} 1`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className="absolute inset-0 size-full overflow-visible"
    >
      {series.map((layer) => {
        let path = '';
        for (const [index, point] of points.entries()) {
          const value = (point.values[layer.key] ?? 0) / top;
          if (value === 0) continue;
          const below = heights[index] ?? 0;
          heights[index] = below + value;
          path += `M${index + gap} ${(1 - below).toFixed(5)}V${(1 - below - value).toFixed(5)}H${index + 1 - gap}V${(1 - below).toFixed(5)}Z`;
        }
        return path === '' ? null : <path key={layer.key} d={path} fill={layer.color} />;
      })}
    </svg>
  );
}
