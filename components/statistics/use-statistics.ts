import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '@/components/api/call';
import { findRangeSpan, RANGE_STEPS } from '@/components/links/decisions-href';
import { type OutcomeCounts, readStatistics } from '@/lib/contract/statistics';

export const SPANS = ['1h', '24h', '30d'] as const;
export type Span = (typeof SPANS)[number];

/** Reads the decisions of the last hour, day or month. Refetches while the page is visible. */
export function useStatistics(span: Span) {
  return useQuery({
    queryKey: ['statistics', span],
    queryFn: ({ signal }) => {
      const { from, to } = findRangeSpan(span, Date.now());
      const query = {
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        step: String(RANGE_STEPS[span].step),
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
