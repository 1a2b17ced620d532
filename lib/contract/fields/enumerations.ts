import { z } from 'zod';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

export const EndpointClassSchema = z.enum(ENDPOINT_CLASSES).meta({
  id: 'EndpointClass',
  description: "`lab`: the OAuth lab's endpoints, for signed-in members; `sensitive`: only by a route rule.",
});

export const QuotaTierSchema = z
  .enum(['free', 'starter', 'business', 'enterprise'])
  .meta({ id: 'QuotaTier', description: 'API quota tier that determines monthly request limits.' });
export type QuotaTier = z.infer<typeof QuotaTierSchema>;

export const IdentifierTypeSchema = z.enum(['ip', 'user_id']).meta({ id: 'AllowlistEntryType' });
export type IdentifierType = z.infer<typeof IdentifierTypeSchema>;

/** Whose limit an override replaces: an address or a user in a class, or the subject of a named limit. */
export const OverriddenTypeSchema = z.enum([...IdentifierTypeSchema.options, 'subject']).meta({ id: 'OverriddenType' });
export type OverriddenType = z.infer<typeof OverriddenTypeSchema>;

export const CallerTypeSchema = z.enum(['ip', 'user_id', 'api_key', 'client_id', 'subject']).meta({
  id: 'CallerType',
  description:
    'Who sends requests: an address, a user, an API key by its uuid, or an OAuth client; or the subject of named limits.',
});
export type CallerType = z.infer<typeof CallerTypeSchema>;

export const ClientTypeSchema = z.enum(['public', 'confidential']).meta({ id: 'ClientType' });
export type ClientType = z.infer<typeof ClientTypeSchema>;

export const MemberRoleSchema = z.enum(['viewer', 'operator', 'owner']).meta({ id: 'MemberRole' });
export type MemberRole = z.infer<typeof MemberRoleSchema>;

/** Roles of tokens: those of members, and `gateway`, which can only request decisions. */
export const TokenRoleSchema = z.enum(['viewer', 'operator', 'owner', 'gateway']).meta({ id: 'TokenRole' });
export type TokenRole = z.infer<typeof TokenRoleSchema>;

export const RefusalCodeSchema = z
  .enum([
    'rate_limit_exceeded',
    'client_rate_limit_exceeded',
    'user_rate_limit_exceeded',
    'quota_exceeded',
    'invalid_api_key',
    'service_unavailable',
  ])
  .meta({ id: 'RefusalCode' });
export type RefusalCode = z.infer<typeof RefusalCodeSchema>;
