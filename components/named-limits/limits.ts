import { useCall } from '@/components/api/use-call';
import { listLimits } from '@/lib/contract/named-limits';

/** Reads the named limits, sorted by name. */
export function useNamedLimits({ enabled = true }: { enabled?: boolean } = {}) {
  return useCall(['limits'], listLimits, {}, { staleTime: 15_000, enabled });
}
