import { formatDistance } from '@/components/format/duration';
import { useNow } from '@/components/format/use-now';
import { cn } from '@/components/ui/cn';

/** `2026-11-20 12:00:00 UTC` */
export function formatUtc(instant: string | number): string {
  const iso = new Date(instant).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

/** A time relative to now, with the exact UTC instant on hover. */
export function RelativeTime({ at, className }: { at: string; className?: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={formatUtc(at)} className={cn('whitespace-nowrap', className)}>
      {now === null ? formatUtc(at) : formatDistance(Date.parse(at), now)}
    </time>
  );
}
