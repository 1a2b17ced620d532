import { keepPreviousData } from '@tanstack/react-query';
import { useCall } from '@/components/api/use-call';
import type { DecisionTime } from '@/components/decisions/use-decision-time';
import { countDecisions } from '@/lib/contract/decisions';

type Filters = Readonly<Record<string, string | undefined>>;

/**
 * Counts the decisions that the list shows: all of the time range for the chart, and those of the picked bar.
 * @param filters those of the list
 */
export function useDecisionCounts(time: DecisionTime, filters: Filters, live: boolean) {
  const { span, step } = time;
  const picked = live ? null : time.picked;
  const buildBounds = (from: number | Date, to: number | Date) => ({
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  });
  const options = { placeholderData: keepPreviousData, refetchInterval: live ? 5_000 : 15_000 };
  const all = useCall(
    ['decisions', 'counts', filters, span, step],
    countDecisions,
    { query: { ...filters, ...(span ? buildBounds(span.from, span.to) : {}), step: String(step) } },
    { ...options, enabled: span !== null },
  );
  const part = useCall(
    ['decisions', 'counts', filters, picked],
    countDecisions,
    { query: { ...filters, ...(picked ? buildBounds(picked.from, picked.to) : {}) } },
    { ...options, enabled: picked !== null },
  );
  return { all, listed: picked === null ? all : part };
}

export type CountsQuery = ReturnType<typeof useDecisionCounts>['all'];
