import { formatDistance } from '@/components/format/duration';
import { exactTimes, FAR, formatDate, formatInstant } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { useNow } from '@/components/format/use-now';
import { cn } from '@/components/ui/cn';

/** A time relative to now, or its date beyond a week. The exact time, also in UTC, is on hover. */
export function RelativeTime({ at, className }: { at: string; className?: string }) {
  const now = useNow();
  const { zone, reader } = useTimeZone();
  return (
    <time dateTime={at} title={exactTimes(at, zone, reader)} className={cn('whitespace-nowrap', className)}>
      {now === null ? formatInstant(at, zone) : formatRelative(at, now, zone)}
    </time>
  );
}

/** `in 3 h`, `2 min ago`, `just now`; beyond a week `20 Nov`. `now` in milliseconds. */
export function formatRelative(at: string, now: number, zone: string): string {
  const time = Date.parse(at);
  return Math.abs(time - now) > FAR ? formatDate(time, zone, now) : formatDistance(time, now);
}
