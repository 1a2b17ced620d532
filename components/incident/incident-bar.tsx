import { z } from 'zod';
import { useCall } from '@/components/api/use-call';
import { onDemand } from '@/components/shell/on-demand';

const IncidentNote = onDemand(() => import('@/components/incident/incident-note'));

/** `getIncident`, without the schemas that say what it is: most pages are left without one. */
const ANY_INCIDENT = {
  id: 'getIncident',
  method: 'GET',
  path: '/v1/admin/incident',
  tag: 'Incident',
  summary: '',
  access: 'viewer',
  response: { status: 200, description: '', schema: z.unknown() },
} as const;

/** On every page while an incident is in force. Asks every 10 s. */
export function IncidentBar() {
  const { data } = useCall(['incident', 'any'], ANY_INCIDENT, {}, { refetchInterval: 10_000 });
  return (
    <section aria-label="Incident" aria-live="polite" className="empty:hidden">
      {data?.value ? <IncidentNote /> : null}
    </section>
  );
}
