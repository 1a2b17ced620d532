'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '@/components/call';
import { dryRunPolicies } from '@/lib/contract/dry-run';

/** How long the typing has to rest, in milliseconds. */
const REST = 500;

/** What a patch of the policies would have refused of the last hour. `patch` null: there is nothing to try. */
export function useDryRun(patch: unknown) {
  const text = patch === null ? null : JSON.stringify(patch);
  const [settled, setSettled] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), REST);
    return () => clearTimeout(timer);
  }, [text]);
  const query = useQuery({
    queryKey: ['dry-run', settled],
    queryFn: async ({ signal }) => (await call(dryRunPolicies, { body: JSON.parse(settled ?? '{}'), signal })).value,
    enabled: settled !== null && text !== null,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  return { ...query, isOld: settled !== text || query.isPlaceholderData };
}
