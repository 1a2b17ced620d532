import { and, eq, isNull } from 'drizzle-orm';
import { apiKeys } from '@/drizzle/schema';
import { toInstant, toInstantOrNull } from '@/lib/contract/fields/instant';
import type { ApiKey } from '@/lib/contract/keys';
import type { Database } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';

export type ApiKeyRow = typeof apiKeys.$inferSelect;

/** The audit log's name for what these operations change. */
export const API_KEY_TARGET = 'api_key';

/**
 * A key that is registered, which is: not revoked.
 * @throws ApiError not_found
 */
export async function registeredKey(database: Database, id: string): Promise<ApiKeyRow> {
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
