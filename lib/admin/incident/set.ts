import { change } from '@/lib/admin/change';
import { readIncidentInForce, writeIncident } from '@/lib/admin/incident/stored';
import type { Incident } from '@/lib/contract/fields/incident';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { setIncident as contract, LONGEST_INCIDENT, SHORTEST_INCIDENT } from '@/lib/contract/incident';
import { INCIDENT_SETTING } from '@/lib/enforcement/rules-cache';
import { createInvalidField } from '@/lib/http/input';
import { implement } from '@/lib/operation/operation';
import { MINUTE } from '@/lib/units';

/** Starts an incident, from the next decision on. Replaces the one in force. */
export const setIncident = implement(contract, (context, { body }) => {
  const { now, actor, services } = context;
  const { mode, factor = null, until, reason } = body;
  if (until < now + SHORTEST_INCIDENT * MINUTE) throw createInvalidField('until', 'must lie at least 15 minutes ahead');
  if (until > now + LONGEST_INCIDENT * MINUTE) throw createInvalidField('until', 'must lie at most 24 hours ahead');
  return change(context, async (revision) => {
    const before = await readIncidentInForce(services.database, now);
    const origin = { started_at: formatTimestamp(now), started_by: actor.name };
    const after: Incident = { mode, factor, until: formatTimestamp(until), reason, ...origin };
    const action = before === null ? 'incident.start' : 'incident.change';
    return {
      audit: { action, target: INCIDENT_SETTING, before, after, reason },
      statements: [writeIncident(context, after, revision)],
      result: after,
    };
  });
});
