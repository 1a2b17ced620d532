import { formatAbsoluteTime, formatOtherTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';

interface TimestampProps {
  /** Milliseconds, or RFC 3339. */
  at: string | number;
  /** Adds the seconds. */
  seconds?: boolean;
}

/** Shows an absolute time in the chosen zone and names the zone. Hovering shows it in the other of local and UTC. */
export function Timestamp({ at, seconds }: TimestampProps) {
  const { zone, reader } = useTimeZone();
  return (
    <time dateTime={new Date(at).toISOString()} title={formatOtherTime(at, zone, reader)} className="whitespace-nowrap">
      {formatAbsoluteTime(at, zone, { seconds })}
    </time>
  );
}
