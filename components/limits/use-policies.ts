import { useCall } from '@/components/use-call';
import { getPolicies } from '@/lib/contract/policies';

export const policiesKey = ['policies'] as const;

export function usePolicies() {
  return useCall(policiesKey, getPolicies, {}, { staleTime: 30_000 });
}
