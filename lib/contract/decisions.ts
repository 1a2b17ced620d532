import { z } from 'zod';
import { EndpointClassSchema, IdentifierTypeSchema, RefusalCodeSchema } from '@/lib/contract/fields/enumerations';
import { InstantSchema, timeRange } from '@/lib/contract/fields/instant';
import { exportOf, exportParameters } from '@/lib/contract/fields/list';
import { object, resource } from '@/lib/contract/resource';

const DecisionOutcomeSchema = z
  .enum(['refused', 'bypassed', 'degraded'])
  .meta({ id: 'DecisionOutcome', description: 'The outcome; allowed requests are counted but not listed.' });

const DecisionSubjectSchema = z.enum(['ip', 'client', 'user', 'quota', 'global']).meta({
  id: 'DecisionSubject',
  description: 'The subject that refused or bypassed; `global` is the throttle of the instance.',
});

export const DecisionSchema = object('LoggedDecision', {
  id: z.int().min(1),
  at: InstantSchema,
  outcome: DecisionOutcomeSchema,
  class: EndpointClassSchema,
  reason: z.string().nullable().describe('The error code of a refusal.'),
  subject: DecisionSubjectSchema.nullable(),
  identifier: z.string().nullable().describe('The address (IPv6 as its /64), user, client or key of that subject.'),
  method: z.string().nullable(),
  path: z.string().nullable().describe('Without query, at most 512 characters.'),
  ip: z.string().nullable(),
  user_id: z.string().nullable(),
  api_key_id: z.string().nullable(),
  request_id: z.string().nullable(),
});
export type LoggedDecision = z.infer<typeof DecisionSchema>;

const text = z.string().min(1).max(512);

const decisionFilters = {
  class: EndpointClassSchema.optional(),
  outcome: DecisionOutcomeSchema.optional(),
  reason: RefusalCodeSchema.optional(),
  subject: DecisionSubjectSchema.optional(),
  type: IdentifierTypeSchema.optional().describe('Kind of `identifier`; given together with it.'),
  identifier: text.optional().describe('An address or a user id, whether or not it was the subject that refused.'),
  api_key: z.uuid('must be a uuid').toLowerCase().optional().describe('An API key by its uuid.'),
  path: text.optional().describe('A prefix of the path.'),
  ...timeRange,
};
export type DecisionFilters = z.output<z.ZodObject<typeof decisionFilters>>;

export const listDecisions = resource('/v1/admin/decisions', { tag: 'Observability' }).get('listDecisions', 'viewer', {
  summary: 'List the newest refusals and bypasses',
  description:
    'Newest first; 100 per page unless `limit` is given. Decisions reach the log after about a second. Allowed requests are counted but not listed. Under attack at most 100 per second, and 10 per second of one identifier, are kept; the statistics count all. With `Accept: text/event-stream` the answer is a live stream of `decision` events, which resumes after `Last-Event-ID`; CSV and JSON lines contain all matches.',
  query: z.strictObject({ ...decisionFilters, ...exportParameters }),
  example: { query: { outcome: 'refused', class: 'auth', limit: '50' } },
  response: exportOf('The decisions.', DecisionSchema, 'text/event-stream'),
});
