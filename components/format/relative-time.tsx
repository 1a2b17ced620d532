import { formatDistance } from '@/components/format/duration';
import { FAR, formatAbsoluteTime, formatDate, formatExactTimes } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { useAtNow } from '@/components/format/use-now';
import { cn } from '@/components/ui/cn';

/**
 * Shows a time relative to now, or its date if it is more than a week away. Hovering shows the exact time, also in UTC.
 */
export function RelativeTime({ at, className }: { at: string; className?: string }) {
  const { zone, reader } = useTimeZone();
  const relative = useAtNow((now) => formatRelative(at, now, zone));
  return (
    <time dateTime={at} title={formatExactTimes(at, zone, reader)} className={cn('whitespace-nowrap', className)}>
      {relative ?? formatAbsoluteTime(at, zone)}
    </time>
  );
}

/**
 * Formats a time relative to `now` (milliseconds): `in 3 h`, `2 min ago`, `just now`. Beyond a week it is a date: `20
 * Nov`.
 */
export function formatRelative(at: string, now: number, zone: string): string {
  const time = Date.parse(at);
  return Math.abs(time - now) > FAR ? formatDate(time, zone, now) : formatDistance(time, now);
}
