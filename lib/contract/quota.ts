import { z } from 'zod';
import { QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { InstantSchema } from '@/lib/contract/fields/instant';
import { AuditReasonSchema } from '@/lib/contract/fields/reason';

const count = z.int().min(0);

/** What a key has consumed in the running calendar month (UTC). */
export const QuotaUsageSchema = z
  .object({
    api_key_id: z.uuid().describe('API key identifier.'),
    tier: QuotaTierSchema,
    usage: count.describe('Requests used.'),
    limit: count.describe('Requests allowed.'),
    remaining: count.describe('Requests remaining; 0 when the usage is above the limit.'),
    reset_at: InstantSchema.describe('When the usage resets: the start of the next month, UTC.'),
  })
  .meta({ id: 'QuotaUsage' });

export type QuotaUsage = z.infer<typeof QuotaUsageSchema>;

/** The form of a key's uuid (RFC 9562 section 4: any version, any letter case, with dashes and nothing around it). */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text has the form of a uuid. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A key's uuid in a path, in lower case. */
export const ApiKeyIdParameter = z
  .string()
  .regex(UUID, 'must be a uuid')
  .toLowerCase()
  .describe("The key's uuid, never its secret.")
  .meta({ format: 'uuid', example: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' });

/** The path of the quota operations. */
export const QuotaPath = z.strictObject({ api_key: ApiKeyIdParameter });

/** The body of a quota reset. */
export const QuotaReset = z.strictObject({ reason: AuditReasonSchema.optional() }).meta({ id: 'QuotaReset' });

/** What a quota reset answers. */
export const QuotaResetDoneSchema = z.object({ status: z.literal('reset') }).meta({ id: 'QuotaResetDone' });

/** The body of a tier change. */
export const TierChange = z.strictObject({ tier: QuotaTierSchema }).meta({ id: 'TierChange' });

/** What a tier change answers. */
export const TierChangedSchema = z
  .object({ status: z.literal('updated'), tier: QuotaTierSchema.describe('The new tier.') })
  .meta({ id: 'TierChanged' });
