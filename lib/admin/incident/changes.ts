import type { ChangeKind, ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { findPastEnd, haveSameMembers } from '@/lib/admin/change-kind/record';
import { refuseUnless } from '@/lib/admin/change-kind/reversal';
import { listLimitsInForce } from '@/lib/admin/effect/met-limits';
import { joinSentences } from '@/lib/admin/effect/sentences';
import { describeCosts } from '@/lib/admin/effect/unpayable-costs';
import { describeIncidentEffect } from '@/lib/admin/incident/incident-sentence';
import { readIncidentInForce, writeIncident } from '@/lib/admin/incident/stored';
import { StoredIncidentSchema } from '@/lib/contract/fields/incident';

const INCIDENT: ChangeKind = {
  thing: 'incident',
  reversal: {
    role: 'operator',
    obstacle: ({ before, after }, now) => {
      const over = findPastEnd(after, 'until', now);
      if (over !== null) return `The incident ended by itself at ${over}.`;
      const ended = findPastEnd(before, 'until', now);
      return ended === null ? null : `The incident before would have ended at ${ended}.`;
    },
    async plan(context, { before, after }, revision) {
      const present = await readIncidentInForce(context.services.database, context.now);
      refuseUnless(haveSameMembers(present, after, ['mode', 'factor', 'until', 'reason']));
      const restored = StoredIncidentSchema.parse(before);
      return {
        statements: [writeIncident(context, restored, revision)],
        restored: restored === null ? 'The incident has ended.' : 'The incident was restored.',
      };
    },
  },
  async effect(context, { before, after }) {
    const [old, changed] = [before, after].map((incident) => StoredIncidentSchema.parse(incident));
    const rules = await context.services.rules.readFresh();
    const factor = changed?.factor ?? 1;
    const isByLimits = changed == null || changed.mode === 'factor';
    const warning = isByLimits
      ? describeCosts(rules, context.now, listLimitsInForce(rules, context.now), { factor })
      : null;
    return joinSentences(await describeIncidentEffect(context, old ?? null, changed ?? null), warning);
  },
};

export const INCIDENT_CHANGES: ChangeKinds<'incident'> = {
  'incident.start': INCIDENT,
  'incident.change': INCIDENT,
  'incident.end': INCIDENT,
};
