import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '@/components/api/call';
import { type OutcomeCounts, readStatistics } from '@/lib/contract/statistics';

export const SPANS = ['1h', '24h', '30d'] as const;
export type Span = (typeof SPANS)[number];

/** Length of the time range and of one bar, in seconds. */
export const SPAN_SECONDS: Record<Span, { length: number; step: number }> = {
  '1h': { length: 3_600, step: 60 },
  '24h': { length: 86_400, step: 1_800 },
  '30d': { length: 2_592_000, step: 86_400 },
};

/** Reads the decisions of the last hour, day or month. Refetches while the page is visible. */
export function useStatistics(span: Span) {
  const { length, step } = SPAN_SECONDS[span];
  return useQuery({
    queryKey: ['statistics', span],
    queryFn: ({ signal }) => {
      const now = Date.now();
      const query = {
        from: new Date(now - length * 1000).toISOString(),
        to: new Date(now).toISOString(),
        step: String(step),
        top: '8',
      };
      return call(readStatistics, { query, signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: span === '1h' ? 5_000 : 30_000,
  });
}

export type StatisticsQuery = ReturnType<typeof useStatistics>;

export function sumCounts(counts: OutcomeCounts): number {
  return counts.allowed + counts.refused + counts.bypassed + counts.degraded + counts.observed;
}
