import { useCall } from '@/components/api/use-call';
import { useNow } from '@/components/format/use-now';
import type { Incident } from '@/lib/contract/fields/incident';
import { getIncident } from '@/lib/contract/incident';

/** The incident in force; null without one, or while it is not known. Asked again every 10 s. */
export function useIncident(): Incident | null {
  const { data } = useCall(['incident', 'whole'], getIncident, {}, { refetchInterval: 10_000 });
  const incident = data?.value ?? null;
  const now = useNow();
  return incident === null || now === null || Date.parse(incident.until) <= now ? null : incident;
}
