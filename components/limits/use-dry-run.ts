'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { callApi } from '@/components/api-client';
import { DryRunSchema } from '@/lib/contract/dry-run';

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
    queryFn: async ({ signal }) =>
      (
        await callApi('/v1/admin/policies/dry-run', {
          method: 'POST',
          body: JSON.parse(settled ?? '{}'),
          schema: DryRunSchema,
          signal,
        })
      ).value,
    enabled: settled !== null && text !== null,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  return { ...query, isOld: settled !== text || query.isPlaceholderData };
}
