import { z } from 'zod';
import { IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
import { managedMark } from '@/lib/contract/fields/managed';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { object } from '@/lib/contract/resource';

/** Origin of a limit. */
export const LimitSourceSchema = object('LimitSource', {
  kind: z
    .enum(['policy', 'override', 'client', 'tier', 'limit', 'key'])
    .describe(
      '`policy`: of the class. `override`: of this identifier, its range, or this subject of a named limit. `client`: of its client type. `tier`: of the key. `limit`: a named limit. `key`: its numbers for this key alone.',
    ),
  id: z
    .string()
    .optional()
    .describe('Id of the override or the API key, or the client type, the tier, or the name of the limit.'),
  identifier: z.string().optional().describe('The address, range, user or subject that the override is for.'),
  reason: z.string().optional().describe('Reason of the override.'),
  expires_at: TimestampSchema.nullable().optional().describe('When the override ends; null means never.'),
  factor: z.number().optional().describe('Factor of the current incident, if it has changed the limit.'),
  detail: z.string().describe('The source in words.'),
  ...managedMark,
});
export type LimitSource = z.infer<typeof LimitSourceSchema>;

/** The allowlist entry that exempts a request from rate limits. */
export const BypassSchema = object('Bypass', {
  id: z.string(),
  type: IdentifierTypeSchema,
  identifier: z.string().describe('The address, range or user on the allowlist.'),
  reason: z.string(),
  expires_at: TimestampSchema.nullable().describe('When the entry ends; null means never.'),
  ...managedMark,
});
export type Bypass = z.infer<typeof BypassSchema>;
