import { and, eq, isNull, ne } from 'drizzle-orm';
import { apiKeys } from '@/drizzle/schema';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';
import type { Database } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import { invalidField } from '@/lib/http/input';

/**
 * Refuses a name that another key has; a revoked key gives its name back.
 * @param id of the key itself, null when it is new
 * @throws ApiError conflict
 */
export async function requireFreeName(database: Database, name: string, id: string | null): Promise<void> {
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
