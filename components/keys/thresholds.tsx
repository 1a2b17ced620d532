import { z } from 'zod';
import { useCall } from '@/components/api/use-call';
import { RelativeTime } from '@/components/format/relative-time';
import { Badge } from '@/components/ui/badge';
import { listAudit } from '@/lib/contract/audit-log';
import { DAY } from '@/lib/units';

const After = z.object({ threshold_percent: z.number() });

/**
 * Returns the start of the month that ends at `resetAt`, in milliseconds.
 * @param startsOn the day on which the key's months begin
 */
export function computeMonthStart(resetAt: string, startsOn = new Date(resetAt).getUTCDate()): number {
  const end = new Date(resetAt);
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth(), 0)).getUTCDate();
  return Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1, Math.min(startsOn, lastDay));
}

/**
 * Reads the thresholds reached in the last 31 days, newest first. That covers any month. The result is limited to one
 * key, or to the newest 100.
 */
export function useThresholdEvents(apiKeyId?: string) {
  const from = new Date(Math.floor(Date.now() / DAY) * DAY - 31 * DAY).toISOString();
  const query = { action: 'quota.threshold', target: apiKeyId, from, limit: '100' };
  const { data } = useCall(['audit', 'thresholds', apiKeyId], listAudit, { query }, { refetchInterval: 30_000 });
  return (data?.value ?? []).flatMap(({ target, after, at }) => {
    const parsed = After.safeParse(after);
    return parsed.success ? [{ apiKeyId: target, percent: parsed.data.threshold_percent, at }] : [];
  });
}

export function ThresholdMarks({ events }: { events: readonly { percent: number; at: string }[] }) {
  if (events.length === 0) return null;
  const sorted = [...events].sort((a, b) => a.percent - b.percent);
  return (
    <span className="flex flex-wrap gap-1.5">
      {sorted.map(({ percent, at }) => (
        <Badge key={percent} variant={percent >= 100 ? 'destructive' : 'warning'}>
          {percent}% reached <RelativeTime at={at} />
        </Badge>
      ))}
    </span>
  );
}
