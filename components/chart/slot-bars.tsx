import { formatInstant } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';

interface SlotBarsProps {
  label: string;
  slots: readonly { at: number; value: number }[];
  /** The bars are refusals, in their colour. */
  refusals?: boolean;
}

/** A small bar chart of equal steps, oldest first, without axes. */
export function SlotBars({ label, slots, refusals }: SlotBarsProps) {
  const { zone } = useTimeZone();
  const top = Math.max(1, ...slots.map((slot) => slot.value));
  const total = slots.reduce((sum, slot) => sum + slot.value, 0);
  const width = 100 / Math.max(1, slots.length);
  return (
    <svg
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${total} total, at most ${total === 0 ? 0 : top} in one slot.`}
      className="h-12 w-full overflow-visible"
    >
      {slots.map((slot, index) => {
        const height = slot.value === 0 ? 3 : Math.max(8, (slot.value / top) * 100);
        return (
          <rect
            key={slot.at}
            x={index * width + width * 0.12}
            y={100 - height}
            width={width * 0.76}
            height={height}
            className={slot.value === 0 ? 'fill-foreground/10' : refusals ? 'fill-chart-ip' : 'fill-primary'}
          >
            <title>{`${slot.value} at ${formatInstant(slot.at, zone, { seconds: true })}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
