import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '@/components/api/call';
import { findRangeSpan, RANGE_STEPS } from '@/components/links/decisions-href';
import { type OutcomeCounts, readStatistics } from '@/lib/contract/statistics';

export const SPANS = ['1h', '24h', '30d'] as const;
export type Span = (typeof SPANS)[number];

/**
 * Reads the decisions of the last hour, day or month. Refetches while the page is visible.
 * @param limit the named limit whose steps are read
 */
export function useStatistics(span: Span, limit: string | null = null) {
  return useQuery({
    queryKey: ['statistics', span, limit],
    queryFn: ({ signal }) => {
      const { from, to } = findRangeSpan(span, Date.now());
      const query = {
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        step: String(RANGE_STEPS[span].step),
        // Those of one limit are among all.
        top: limit === null ? '8' : '100',
        ...(limit === null ? {} : { limit_name: limit }),
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
