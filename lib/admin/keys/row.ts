import { and, eq, isNull, ne } from 'drizzle-orm';
import { apiKeys } from '@/drizzle/schema';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';
import { toInstant, toInstantOrNull } from '@/lib/contract/fields/instant';
import type { ApiKey } from '@/lib/contract/keys';
import type { Database } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import { invalidField } from '@/lib/http/input';
import type { ApiKeyId } from '@/lib/ids';

export type ApiKeyRow = typeof apiKeys.$inferSelect;

/** The audit log's name for what these operations change. */
export const API_KEY_TARGET = 'api_key';

/**
 * A key that is registered, which is: not revoked.
 * @throws ApiError not_found
 */
export async function registeredKey(database: Database, id: ApiKeyId): Promise<ApiKeyRow> {
  const [row] = await database.drizzle
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)));
  if (row === undefined) throw new ApiError('not_found', 'There is no such API key.');
  return row;
}

/** A key as it leaves Sluice, and as the audit log keeps it: nothing of its secret but the prefix. */
export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    tier: row.tier,
    client_type: row.clientType,
    user_id: row.userId,
    prefix: row.prefix,
    overage_allowed: row.overageAllowed,
    expires_at: toInstantOrNull(row.expiresAt),
    created_at: toInstant(row.createdAt),
    created_by: row.createdBy,
    revoked_at: toInstantOrNull(row.revokedAt),
    previous_secret_until: toInstantOrNull(row.previousSecretUntil),
  };
}

/**
 * Refuses a name that another key has; a revoked key gives its name back.
 * @param id of the key itself, null when it is new
 * @throws ApiError conflict
 */
export async function requireFreeName(database: Database, name: string, id: ApiKeyId | null): Promise<void> {
  const [taken] = await database.drizzle
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.name, name), isNull(apiKeys.revokedAt), id === null ? undefined : ne(apiKeys.id, id)))
    .limit(1);
  if (taken !== undefined) throw new ApiError('conflict', 'Another API key has this name.');
}

/** Refuses overage for a tier that does not have it. @throws ApiError invalid_request */
export function requireOverageTier(tier: QuotaTier, overageAllowed: boolean): void {
  if (overageAllowed && tier === 'free') throw invalidField('overage_allowed', 'needs the tier starter or above');
}
