import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '@/components/api/call';
import { useSettled } from '@/components/api/use-settled';
import { dryRunPolicies } from '@/lib/contract/policies-dry-run';

/** Replays the last hour with the changed policies once typing pauses. `patch` is null while it is invalid. */
export function useDryRun(patch: unknown) {
  const text = patch === null ? null : JSON.stringify(patch);
  const settled = useSettled(text);
  const query = useQuery({
    queryKey: ['dry-run', settled],
    queryFn: async ({ signal }) => (await call(dryRunPolicies, { body: JSON.parse(settled ?? '{}'), signal })).value,
    enabled: settled !== null && text !== null,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  return { ...query, isOld: settled !== text || query.isPlaceholderData };
}
