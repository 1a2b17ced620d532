import { formatAbsoluteTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';

interface Slot {
  at: number;
  value: number;
  /** Refused part of the slot, if available. */
  refused?: number;
}

/** Small bar chart of equal steps, oldest first, without axes. Refusals are at the bottom of each bar. */
export function SlotBars({ label, slots }: { label: string; slots: readonly Slot[] }) {
  const { zone } = useTimeZone();
  const top = Math.max(1, ...slots.map((slot) => slot.value));
  const total = slots.reduce((sum, slot) => sum + slot.value, 0);
  const width = 100 / Math.max(1, slots.length);
  const computeHeight = (value: number) => Math.max(8, (value / top) * 100);
  return (
    <svg
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${total} total, at most ${total === 0 ? 0 : top} in one slot.`}
      className="h-12 w-full overflow-visible"
    >
      {slots.map(({ at, value, refused = 0 }, index) => {
        const renderBar = (height: number, fill: string) => (
          <rect
            x={index * width + width * 0.12}
            y={100 - height}
            width={width * 0.76}
            height={height}
            className={fill}
          />
        );
        return (
          <g key={at}>
            <title>{`${value}${refused > 0 ? `, ${refused} refused,` : ''} at ${formatAbsoluteTime(at, zone, { seconds: true })}`}</title>
            {value === 0 ? renderBar(3, 'fill-foreground/10') : null}
            {value > refused ? renderBar(computeHeight(value), 'fill-primary') : null}
            {refused > 0 ? renderBar(computeHeight(refused), 'fill-chart-ip') : null}
          </g>
        );
      })}
    </svg>
  );
}
