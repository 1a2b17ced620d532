import { z } from 'zod';
import { ApiKeyIdParameter, ApiKeyIdSchema, EXAMPLE_ID } from '@/lib/contract/fields/ids';
import { declarePage, MAX_PAGE, pageParameters, searchIn, sortParameter } from '@/lib/contract/fields/list';
import { managedMark } from '@/lib/contract/fields/managed';
import { ReasonSchema } from '@/lib/contract/fields/text';
import { TimestampInput, TimestampSchema } from '@/lib/contract/fields/timestamp';
import { count, created, declareNoContent, input, json, object, resource } from '@/lib/contract/resource';

/** Highest number of requests of one grant. */
const MOST = 1_000_000_000;

/** Number of requests that a grant adds. */
export const GrantRequests = z
  .int()
  .min(1)
  .max(MOST)
  .describe(`Added to the limit of each month in which it is active, 1 to ${MOST}.`);

const GrantSchema = object('Grant', {
  id: z.uuid(),
  api_key: ApiKeyIdSchema.describe("The key's uuid."),
  api_key_name: z.string(),
  requests: count.describe(
    'What it adds to the limit of each month in which it is active, in units: a request uses 1, or its cost.',
  ),
  until: TimestampSchema.describe('When it ends.'),
  reason: z.string(),
  status: z.enum(['active', 'ended']),
  created_at: TimestampSchema,
  created_by: z.string(),
  ...managedMark,
});
/** Requests that a key may make each month beyond its tier, for a limited time. */
export type QuotaGrant = z.infer<typeof GrantSchema>;

const grants = resource('/v1/admin/grants', { tag: 'Grants' });

export const addGrant = grants.post('addGrant', 'operator', {
  command: 'grants add',
  reason: 'body',
  summary: 'Grant an API key more requests',
  description:
    "Adds to the key's monthly limit from the next decision on, and ends by itself at `until`, to the second. Several grants of one key add up. A change of its tier leaves them alone.",
  body: json(
    input('NewGrant', {
      api_key: ApiKeyIdParameter,
      requests: GrantRequests,
      until: TimestampInput.describe('In the future, at most 10 years ahead.'),
      reason: ReasonSchema,
    }),
  ),
  example: {
    body: { api_key: EXAMPLE_ID, requests: 5_000, until: '2027-01-31T18:00:00Z', reason: 'Migration of their archive' },
  },
  response: created('The grant is active.', GrantSchema),
  errors: ['not_found', 'conflict'],
  idempotent: true,
});

export const listGrants = grants.get('listGrants', 'viewer', {
  command: 'grants list',
  summary: 'List grants',
  description: `Newest first unless \`sort\` is given, at most ${MAX_PAGE} per page. Removed grants are never listed.`,
  query: z.strictObject({
    ...pageParameters,
    api_key: ApiKeyIdParameter.optional().describe('Only those of this key.'),
    status: z.enum(['active', 'ended', 'all'], 'must be active, ended or all').default('active'),
    q: searchIn('Part of the reason or of the name of the key; ASCII letter case is ignored.'),
    sort: sortParameter(['created_at', 'until', 'requests'], '-created_at'),
  }),
  response: declarePage('The grants.', GrantSchema),
});

export const removeGrant = grants.delete('removeGrant', 'operator', {
  command: 'grants remove',
  reason: 'query',
  summary: 'End a grant',
  description: "The key's limit is lower from the next decision on; what it has used stays.",
  body: json(input('GrantSelector', { id: z.uuid('must be a uuid').toLowerCase() })),
  example: { body: { id: EXAMPLE_ID } },
  response: declareNoContent('The grant has ended.'),
  errors: ['not_found'],
});
