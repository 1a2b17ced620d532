import { Siren } from 'lucide-react';
import { Timestamp } from '@/components/format/timestamp';
import { describeIncident } from '@/components/incident/incident-words';
import { useEndIncident } from '@/components/incident/use-end-incident';
import { useIncident } from '@/components/incident/use-incident';
import { RoleButton } from '@/components/shell/role-button';

/** Shows the active incident: effect, reason, author, end, and a button to end it. */
export default function IncidentNote() {
  const incident = useIncident();
  const { end, pending } = useEndIncident();
  if (incident === null) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b bg-warning-soft px-8 py-2 text-sm text-warning-text max-md:px-4 print:hidden">
      <Siren aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 basis-72 [overflow-wrap:anywhere]">
        <strong className="font-medium">Incident: {describeIncident(incident)}</strong> until{' '}
        <Timestamp at={incident.until} />. {incident.reason} ({incident.started_by})
      </p>
      <RoleButton
        needs="operator"
        variant="outline"
        size="sm"
        pending={pending}
        data-end-incident
        onClick={() => void end()}
      >
        End now
      </RoleButton>
    </div>
  );
}
