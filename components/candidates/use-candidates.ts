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

/** Reads all candidate limits and route rules with their counts, every 3 seconds. */
export function useCandidates() {
  return useQuery(CANDIDATES);
}

/** Candidate route rules, as they were set. */
export type CandidateRuleSet = Pick<CandidateRules, 'rules' | 'ends_at' | 'reason'>;

/** Returns the candidate route rules, or null. The object stays identical until the rules change. */
export function useCandidateRules(): CandidateRuleSet | null {
  const { data } = useQuery({
    ...CANDIDATES,
    select: ({ rules }): CandidateRuleSet | null =>
      rules && { rules: rules.rules, ends_at: rules.ends_at, reason: rules.reason },
  });
  return data ?? null;
}
