import { ne, or } from 'drizzle-orm';
import { apiKeys } from '@/drizzle/schema';
import type { AnchoredMonths } from '@/lib/counters/transfer/counter-snapshot';
import type { Database } from '@/lib/db/database';
import { findQuotaCounter } from '@/lib/enforcement/quota-counter';

/** Lists the quota counters of keys whose months are not calendar months. @throws DatabaseUnavailable */
export async function listAnchoredMonths({ drizzle }: Pick<Database, 'drizzle'>): Promise<AnchoredMonths> {
  const { id, monthStartsOn, monthShift } = apiKeys;
  const keys = await drizzle
    .select({ id, monthStartsOn, monthShift })
    .from(apiKeys)
    .where(or(ne(monthStartsOn, 1), ne(monthShift, 0)));
  return new Map(keys.map(findQuotaCounter).map(({ key, window }) => [key, window]));
}
