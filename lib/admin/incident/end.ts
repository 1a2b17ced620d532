import { change } from '@/lib/admin/change';
import { readIncidentInForce, writeIncident } from '@/lib/admin/incident/stored';
import { endIncident as contract } from '@/lib/contract/incident';
import { INCIDENT_SETTING } from '@/lib/enforcement/rules-cache';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Ends the incident early, from the next decision on. */
export const endIncident = implement(contract, (context) =>
  change(context, async (revision) => {
    const before = await readIncidentInForce(context.services.database, context.now);
    if (before === null) throw new ApiError('not_found', 'No incident is in force.');
    return {
      audit: { action: 'incident.end', target: INCIDENT_SETTING, before },
      statements: [writeIncident(context, null, revision)],
    };
  }),
);
