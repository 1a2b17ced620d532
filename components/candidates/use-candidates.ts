import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '@/components/api/call';
import { type CandidateRules, getCandidateRules, listCandidates } from '@/lib/contract/candidates';

const CANDIDATES = queryOptions({
  queryKey: ['candidates'],
  queryFn: async ({ signal }) => {
    const [limits, rules] = await Promise.all([call(listCandidates, { signal }), call(getCandidateRules, { signal })]);
    return { limits: limits.value, rules: rules.value };
  },
  refetchInterval: 3_000,
});

/** All limits and route rules that are tried, with what they have counted, asked again every 3 s. */
export function useCandidates() {
  return useQuery(CANDIDATES);
}

/** Candidate route rules as they were set. */
export type TriedRules = Pick<CandidateRules, 'rules' | 'ends_at' | 'reason'>;

/** The route rules that are tried, the same object until others are; null without any. */
export function useTriedRules(): TriedRules | null {
  const { data } = useQuery({
    ...CANDIDATES,
    select: ({ rules: tried }): TriedRules | null =>
      tried && { rules: tried.rules, ends_at: tried.ends_at, reason: tried.reason },
  });
  return data ?? null;
}
