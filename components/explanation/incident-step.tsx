import { TraceStep } from '@/components/explanation/trace-step';
import { Timestamp } from '@/components/format/timestamp';
import { describeIncident } from '@/components/incident/incident-words';
import type { DecisionExplanation } from '@/lib/contract/explain';
import type { Incident } from '@/lib/contract/fields/incident';

interface IncidentStepProps {
  incident: Incident;
  decision: DecisionExplanation['decision'];
}

/** Shows the active incident, which takes part in the decision. */
export default function IncidentStep({ incident, decision }: IncidentStepProps) {
  const refuses = incident.mode === 'read_only' && decision.error === 'service_unavailable';
  return (
    <TraceStep
      state={refuses ? 'refuses' : 'passes'}
      title={`Incident: ${describeIncident(incident)}`}
      aside={
        <>
          until <Timestamp at={incident.until} />
        </>
      }
    >
      <p className="break-words">{incident.reason}</p>
      {decision.would_refuse ? <p>Without it, the request would be refused.</p> : null}
    </TraceStep>
  );
}
