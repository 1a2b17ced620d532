import { useCall } from '@/components/use-call';
import { getPolicies } from '@/lib/contract/policies';

export const policiesKey = ['policies'] as const;

/** The policies that decide requests, with the ETag to change them by. */
export function usePolicies() {
  return useCall(policiesKey, getPolicies, {}, { staleTime: 30_000 });
}
