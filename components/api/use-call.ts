import { type keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '@/components/api/call';
import type { CallInput, Contract } from '@/lib/contract/operation';

/** Times are in milliseconds. Nothing is refetched while the browser tab is hidden. */
interface CachedCall<Answer> {
  /** A function decides by the newest answer. */
  refetchInterval?: number | ((query: { state: { data: Answer | undefined } }) => number | false);
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
  options: CachedCall<Awaited<ReturnType<typeof call<C>>>> = {},
) {
  return useQuery({ queryKey, queryFn: ({ signal }) => call(contract, { ...input, signal }), ...options });
}
