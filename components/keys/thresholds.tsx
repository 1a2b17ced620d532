import { RelativeTime } from '@/components/format/relative-time';
import type { ThresholdEvent } from '@/components/keys/use-threshold-events';
import { Badge } from '@/components/ui/badge';

/** The thresholds that a key reached this month, and when. */
export function ThresholdMarks({ events }: { events: readonly ThresholdEvent[] }) {
  if (events.length === 0) return null;
  const sorted = [...events].sort((a, b) => a.percent - b.percent);
  return (
    <span className="flex flex-wrap gap-1.5">
      {sorted.map(({ percent, at }) => (
        <Badge key={percent} variant={percent >= 100 ? 'destructive' : 'warning'}>
          {percent} % reached <RelativeTime at={at} />
        </Badge>
      ))}
    </span>
  );
}
