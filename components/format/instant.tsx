import { formatInstant, otherTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { cn } from '@/components/ui/cn';

interface InstantProps {
  /** Milliseconds, or RFC 3339. */
  at: string | number;
  /** Shows the second, too. */
  seconds?: boolean;
  className?: string;
}

/** An absolute time in the chosen zone, which is named; the other of local and UTC is on hover. */
export function Instant({ at, seconds, className }: InstantProps) {
  const { zone, reader } = useTimeZone();
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={otherTime(at, zone, reader)}
      className={cn('whitespace-nowrap', className)}
    >
      {formatInstant(at, zone, { seconds })}
    </time>
  );
}
