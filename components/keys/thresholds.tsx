import { useQuery } from '@tanstack/react-query';
import { z } from 'zod';
import { call } from '@/components/call';
import { RelativeTime } from '@/components/format/relative-time';
import { Badge } from '@/components/ui/badge';
import { listAudit } from '@/lib/contract/audit-log';

const After = z.object({ threshold_percent: z.number() });

interface ThresholdEvent {
  apiKeyId: string;
  percent: number;
  at: string;
}

/** Thresholds reached in the current month (UTC), newest first: of one key, or the newest 100 of all. */
export function useThresholdEvents(apiKeyId?: string) {
  return useQuery({
    queryKey: ['audit', 'thresholds', apiKeyId],
    queryFn: async ({ signal }): Promise<ThresholdEvent[]> => {
      const now = new Date();
      const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString();
      const query = { action: 'quota.threshold', target: apiKeyId, from, limit: '100' };
      const { value } = await call(listAudit, { query, signal });
      return value.flatMap(({ target, after, at }) => {
        const parsed = After.safeParse(after);
        return parsed.success ? [{ apiKeyId: target, percent: parsed.data.threshold_percent, at }] : [];
      });
    },
    refetchInterval: 30_000,
  });
}

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
