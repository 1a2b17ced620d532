import { z } from 'zod';
import { InstantSchema } from '@/lib/contract/fields/instant';
import { object } from '@/lib/contract/resource';

export const INCIDENT_MODES = ['observe', 'factor', 'read_only'] as const;
export type IncidentMode = (typeof INCIDENT_MODES)[number];

export const IncidentModeSchema = z.enum(INCIDENT_MODES).meta({
  id: 'IncidentMode',
  description:
    '`observe`: count, but let through what would be refused. `factor`: multiply all limits of classes, clients and overrides. `read_only`: refuse writes.',
});

/** What an answer says of the incident in force, in `X-RateLimit-Status` and in the `status` of a check. */
export const INCIDENT_STATUS = {
  observe: 'observing',
  factor: 'adjusted',
  read_only: 'read_only',
} as const satisfies Record<IncidentMode, string>;

/** Of all limits, in hundredths, so that what it makes of a limit is exact. */
export const FactorSchema = z
  .number('must be a number')
  .min(0.1, 'must be 0.1 to 10')
  .max(10, 'must be 0.1 to 10')
  .refine((factor) => Math.abs(factor * 100 - Math.round(factor * 100)) < 1e-9, 'must have at most two decimals')
  .describe('0.1 to 10, with at most two decimals. A limit is rounded down, but stays at least 1.')
  .meta({ example: 0.5 });

export const IncidentSchema = object('Incident', {
  mode: IncidentModeSchema,
  factor: FactorSchema.nullable().describe('Null in the other modes.'),
  until: InstantSchema.describe('When it ends by itself.'),
  reason: z.string(),
  started_at: InstantSchema,
  started_by: z.string(),
});
export type Incident = z.infer<typeof IncidentSchema>;

/** As it is stored; null: it was ended. */
export const StoredIncidentSchema = IncidentSchema.nullable();
