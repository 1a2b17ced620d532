import { z } from 'zod';
import { useCall } from '@/components/api/use-call';
import { loadOnDemand } from '@/components/shell/load-on-demand';

const IncidentNote = loadOnDemand(() => import('@/components/incident/incident-note'));

/** `getIncident` without its schemas, because most pages never show an incident. */
const ANY_INCIDENT = {
  id: 'getIncident',
  method: 'GET',
  path: '/v1/admin/incident',
  tag: 'Incident',
  summary: '',
  access: 'viewer',
  response: { status: 200, description: '', schema: z.unknown() },
} as const;

/** Bar on every page during an incident. It polls every 10 seconds. */
export function IncidentBar() {
  const { data } = useCall(['incident', 'any'], ANY_INCIDENT, {}, { refetchInterval: 10_000 });
  return (
    <section aria-label="Incident" aria-live="polite" className="empty:hidden">
      {data?.value ? <IncidentNote /> : null}
    </section>
  );
}
