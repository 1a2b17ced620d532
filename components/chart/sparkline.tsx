import { formatCount } from '@/lib/format-number';

/** Bars of equal steps in a line of text, oldest first. */
export function Sparkline({ points, label }: { points: readonly number[]; label: string }) {
  const top = Math.max(1, ...points);
  const total = points.reduce((sum, value) => sum + value, 0);
  const width = 100 / Math.max(1, points.length);
  return (
    <svg
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${formatCount(total, 'unit')}, at most ${total === 0 ? 0 : top} in a minute`}
      className="h-6 w-30 shrink-0 overflow-visible"
    >
      {points.map((value, index) => {
        const height = value === 0 ? 4 : Math.max(10, (value / top) * 100);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the steps have a fixed order
            key={index}
            x={index * width + width * 0.1}
            y={100 - height}
            width={width * 0.8}
            height={height}
            className={value === 0 ? 'fill-foreground/15' : 'fill-primary'}
          />
        );
      })}
    </svg>
  );
}
