import { useCall } from '@/components/api/use-call';
import { isWideRange, type Target } from '@/components/links/target';
import { usePolicies } from '@/components/policies/policies';
import { inspectCounters } from '@/lib/contract/counters';
import type { LimitSource } from '@/lib/contract/fields/limit-source';
import type { Limit } from '@/lib/contract/policies';
import type { EndpointClass } from '@/lib/limiter/meter';

/** `source` is missing for a range and without an identifier. */
interface LimitInForce extends Limit {
  source?: LimitSource;
}

/** Returns the current limit of the identifier. For a range, or without an identifier, it is the policy's limit. */
export function useLimitInForce(target: Target | null, endpointClass: EndpointClass): LimitInForce | undefined {
  const counted = target !== null && !isWideRange(target);
  const policies = usePolicies().data?.value;
  const counters = useCall(
    ['counters', target?.type, target?.identifier],
    inspectCounters,
    { query: target ?? { type: 'ip', identifier: '' } },
    { enabled: counted },
  );
  const policy = policies?.classes[endpointClass][target?.type === 'user_id' ? 'user' : 'ip'];
  if (!counted) return policy;
  const counter = counters.data?.value.counters.find((one) => one.class === endpointClass);
  return counter ?? (counters.isError ? policy : undefined);
}

/** True if `limit` admits less than `than` in the long run. */
export function isLower(limit: Limit, than: Limit): boolean {
  return limit.limit * than.window_seconds < than.limit * limit.window_seconds;
}
