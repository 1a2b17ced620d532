import { formatInstant, formatOtherTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { cn } from '@/components/ui/cn';

interface InstantProps {
  /** Milliseconds, or RFC 3339. */
  at: string | number;
  /** Adds the seconds. */
  seconds?: boolean;
  className?: string;
}

/** Shows an absolute time in the chosen zone and names the zone. Hovering shows it in the other of local and UTC. */
export function Instant({ at, seconds, className }: InstantProps) {
  const { zone, reader } = useTimeZone();
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={formatOtherTime(at, zone, reader)}
      className={cn('whitespace-nowrap', className)}
    >
      {formatInstant(at, zone, { seconds })}
    </time>
  );
}
