import { z } from 'zod';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { object } from '@/lib/contract/resource';

export const INCIDENT_MODES = ['observe', 'factor', 'read_only'] as const;
export type IncidentMode = (typeof INCIDENT_MODES)[number];

export const IncidentModeSchema = z.enum(INCIDENT_MODES).meta({
  id: 'IncidentMode',
  description: '`observe`: refuse nothing. `factor`: multiply all limits but quotas. `read_only`: refuse writes.',
});

/** Status of an answer during an incident, in `X-RateLimit-Status` and in the `status` of a check. */
export const INCIDENT_STATUS = {
  observe: 'observing',
  factor: 'adjusted',
  read_only: 'read_only',
} as const satisfies Record<IncidentMode, string>;

export const IncidentSchema = object('Incident', {
  mode: IncidentModeSchema,
  factor: z.number().nullable().describe('Null in the other modes.'),
  until: TimestampSchema.describe('When it ends.'),
  reason: z.string(),
  started_at: TimestampSchema,
  started_by: z.string(),
});
export type Incident = z.infer<typeof IncidentSchema>;

/** An incident, as it is stored. Null if the last one was ended. */
export const StoredIncidentSchema = IncidentSchema.nullable();
