import { type keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '@/components/api/call';
import type { CallInput, Contract } from '@/lib/contract/operation';

/** Times are in milliseconds. Nothing is refetched while the browser tab is hidden. */
interface CachedCall {
  refetchInterval?: number;
  staleTime?: number;
  gcTime?: number;
  enabled?: boolean;
  placeholderData?: typeof keepPreviousData;
}

/** Caches the answer of an operation under `queryKey`. Changes to a resource invalidate its keys. */
export function useCall<const C extends Contract>(
  queryKey: readonly unknown[],
  contract: C,
  input: CallInput<C>,
  options: CachedCall = {},
) {
  return useQuery({ queryKey, queryFn: ({ signal }) => call(contract, { ...input, signal }), ...options });
}
