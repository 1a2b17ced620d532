import { useQuery } from '@tanstack/react-query';
import { call } from '@/components/call';
import { getPolicies } from '@/lib/contract/policies';

export const policiesKey = ['policies'] as const;

/** The policies that decide requests, with the ETag to change them by. */
export function usePolicies() {
  return useQuery({
    queryKey: policiesKey,
    queryFn: ({ signal }) => call(getPolicies, { signal }),
    staleTime: 30_000,
  });
}
