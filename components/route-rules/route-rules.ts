import { useCall } from '@/components/api/use-call';
import { getRouteRules } from '@/lib/contract/route-rules';

export const routeRulesKey = ['route-rules'] as const;

export function useRouteRules() {
  return useCall(routeRulesKey, getRouteRules, {}, { staleTime: 30_000 });
}
