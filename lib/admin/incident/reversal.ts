import { endedAt, sameMembers } from '@/lib/admin/change-kind/record';
import { type Reversal, refuseUnless } from '@/lib/admin/change-kind/reversal';
import { incidentInForce, writeIncident } from '@/lib/admin/incident/stored';
import { StoredIncidentSchema } from '@/lib/contract/fields/incident';

/** Takes back the start, a change or the end of an incident, while what it would bring back is not over. */
export const INCIDENT_REVERSAL: Reversal = {
  role: 'operator',
  obstacle: ({ before, after }, now) => {
    const over = endedAt(after, 'until', now);
    if (over !== null) return `The incident ended by itself at ${over}.`;
    const ended = endedAt(before, 'until', now);
    return ended === null ? null : `The incident before would have ended at ${ended}.`;
  },
  async plan(context, { before, after }, revision) {
    const present = await incidentInForce(context.services.database, context.now);
    refuseUnless(sameMembers(present, after, ['mode', 'factor', 'until', 'reason']));
    const restored = StoredIncidentSchema.parse(before);
    return {
      statements: [writeIncident(context, restored, revision)],
      restored: restored === null ? 'The incident has ended.' : 'The incident was restored.',
    };
  },
};
