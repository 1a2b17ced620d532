import { useCall } from '@/components/api/use-call';
import { useAtNow } from '@/components/format/use-now';
import type { Incident } from '@/lib/contract/fields/incident';
import { getIncident } from '@/lib/contract/incident';

/** Returns the active incident, polled every 10 seconds. Null if there is none or it is still loading. */
export function useIncident(): Incident | null {
  const { data } = useCall(['incident', 'whole'], getIncident, {}, { refetchInterval: 10_000 });
  const incident = data?.value ?? null;
  const isActive = useAtNow((now) => incident !== null && now < Date.parse(incident.until));
  return isActive ? incident : null;
}
