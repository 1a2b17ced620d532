import { z } from 'zod';
import { DecisionSubjectSchema, decisionFilters } from '@/lib/contract/decisions';
import { EndpointClassSchema } from '@/lib/contract/fields/enumerations';
import { declareExport, exportParameters, sortParameter } from '@/lib/contract/fields/list';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { count, object, resource } from '@/lib/contract/resource';

const CallerSchema = object('Caller', {
  subject: DecisionSubjectSchema.nullable().describe(
    'Null if no subject was measured, for example while the store is down.',
  ),
  identifier: z.string().nullable(),
  api_key_name: z.string().nullable().describe('Where the identifier is an API key.'),
  count,
  classes: z.array(z.object({ class: EndpointClassSchema, count })).describe('The most frequent first.'),
  first_at: TimestampSchema,
  last_at: TimestampSchema,
});
export type Caller = z.infer<typeof CallerSchema>;

export const listCallers = resource('/v1/admin/decisions/callers', { tag: 'Observability' }).get(
  'listCallers',
  'viewer',
  {
    command: 'decisions callers',
    summary: 'List who was refused or bypassed',
    description:
      'The decisions of the log, with the same filters, grouped by subject and identifier; 100 per page unless `limit` is given. Counts include the decisions that a row stands for. Without an identifier: decisions without a measured subject, and in a flood those of callers that have no row.',
    query: z.strictObject({
      ...decisionFilters,
      ...exportParameters,
      sort: sortParameter(['count', 'first_at', 'last_at'], '-count'),
    }),
    example: { query: { outcome: 'refused' } },
    response: declareExport('The callers.', CallerSchema),
  },
);
