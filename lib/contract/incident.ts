import { z } from 'zod';
import { IncidentModeSchema, IncidentSchema, StoredIncidentSchema } from '@/lib/contract/fields/incident';
import { ReasonSchema } from '@/lib/contract/fields/text';
import { TimestampInput } from '@/lib/contract/fields/timestamp';
import { declareNoContent, input, json, ok, resource } from '@/lib/contract/resource';

/** Shortest duration of an incident, in minutes. */
export const SHORTEST_INCIDENT = 15;
export const LONGEST_INCIDENT = 24 * 60;

/** Factor of all limits, in hundredths, so that products with a limit are exact. */
const FactorSchema = z
  .number('must be a number')
  .min(0.1, 'must be 0.1 to 10')
  .max(10, 'must be 0.1 to 10')
  .refine((factor) => Math.abs(factor * 100 - Math.round(factor * 100)) < 1e-9, 'must have at most two decimals')
  .describe('0.1 to 10, with at most two decimals. A limit is rounded down, but stays at least 1.')
  .meta({ example: 0.5 });

const NewIncidentSchema = input('NewIncident', {
  mode: IncidentModeSchema,
  factor: FactorSchema.nullish().describe('Required by the mode `factor`, refused by the others.'),
  until: TimestampInput.describe('15 minutes to 24 hours from now.'),
  reason: ReasonSchema,
}).superRefine(({ mode, factor }, context) => {
  if ((mode === 'factor') === (factor != null)) return;
  const message = mode === 'factor' ? 'is required by the mode factor' : 'is only for the mode factor';
  context.addIssue({ code: 'custom', path: ['factor'], message });
});

const incident = resource('/v1/admin/incident', { tag: 'Incident' });

export const getIncident = incident.get('getIncident', 'viewer', {
  command: 'incident get',
  summary: 'Read the incident in force',
  description: 'Null while there is none.',
  response: ok('The incident, or null.', StoredIncidentSchema),
});

export const setIncident = incident.put('setIncident', 'operator', {
  command: 'incident start',
  reason: 'body',
  summary: 'Start an incident, or change the one in force',
  description:
    'Changes how every request is decided, from the next decision on every instance until `until`, to the second: observe only, a factor on all limits, or read-only. Policies, overrides and counters stay as they are. One incident is in force at a time.',
  body: json(NewIncidentSchema),
  example: {
    body: { mode: 'factor', factor: 0.5, until: '2026-11-20T14:00:00Z', reason: 'The database is at its limit' },
  },
  response: ok('The incident is in force.', IncidentSchema),
});

export const endIncident = incident.delete('endIncident', 'operator', {
  command: 'incident end',
  reason: 'query',
  summary: 'End the incident',
  description: 'The policies hold again from the next decision on.',
  response: declareNoContent('The incident has ended.'),
  errors: ['not_found'],
});
