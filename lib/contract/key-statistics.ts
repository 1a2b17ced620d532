import { z } from 'zod';
import { ApiKeyIdParameter, ApiKeyIdSchema, idInPath } from '@/lib/contract/fields/ids';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { wholeNumber } from '@/lib/contract/fields/whole-number';
import { count, object, ok, resource } from '@/lib/contract/resource';

const tag = 'Observability';

const key = resource('/v1/admin/statistics/keys/{id}', { tag, ...idInPath(ApiKeyIdParameter) });

export const readKeyStatistics = key.get('readKeyStatistics', 'viewer', {
  command: 'statistics key',
  summary: 'Count the requests of one API key by day',
  query: z.strictObject({
    days: wholeNumber(1, 731)
      .optional()
      .describe('The number of days, including today. Default 30.')
      .meta({ example: 30 }),
  }),
  example: { query: { days: '30' } },
  response: ok(
    'One count per day.',
    object('KeyStatistics', {
      api_key_id: ApiKeyIdSchema,
      days: z
        .array(z.object({ day: z.iso.date(), allowed: count, refused: count }))
        .describe('Oldest first, in UTC, including days without a request. Requests count with their cost.'),
    }),
  ),
});

const OriginSchema = z.object({
  origin: z.string(),
  allowed: count,
  refused: count,
  last_hour: TimestampSchema.describe('Start of the last hour in which it was seen.'),
});
const declareOtherCounts = (what: string) =>
  object(`Other${what}`, { allowed: count, refused: count }).describe(
    'Those beyond the first 32 of an hour, which are counted together.',
  );

const origins = resource('/v1/admin/statistics/keys/{id}/origins', { tag, ...idInPath(ApiKeyIdParameter) });

export const readKeyOrigins = origins.get('readKeyOrigins', 'viewer', {
  command: 'statistics key-origins',
  summary: 'Read where one API key is used from',
  description:
    'Addresses and paths of all requests with the key in the last 24 hours, most requests first, at most 50 each. Paths are cut after their second segment. Kept for a day, in whole hours, and written about a second after the decision.',
  response: ok(
    'Addresses and paths.',
    object('KeyOrigins', {
      api_key_id: ApiKeyIdSchema,
      from: TimestampSchema.describe('Start of the first hour that is counted.'),
      addresses: z.array(OriginSchema),
      other_addresses: declareOtherCounts('Addresses'),
      paths: z.array(OriginSchema),
      other_paths: declareOtherCounts('Paths'),
    }),
  ),
});
export type KeyOrigin = z.infer<typeof OriginSchema>;
