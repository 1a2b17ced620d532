import type { grants } from '@/drizzle/schema';
import { toInstant } from '@/lib/contract/fields/instant';
import type { QuotaGrant } from '@/lib/contract/grants';
import type { Millis } from '@/lib/units';

type GrantRow = typeof grants.$inferSelect;

/** A grant as the audit log keeps it. */
export function toGrantRecord(row: GrantRow): Omit<QuotaGrant, 'api_key_name' | 'status'> {
  const { id, apiKeyId, requests, until, reason, createdAt, createdBy } = row;
  const origin = { created_at: toInstant(createdAt), created_by: createdBy };
  return { id, api_key: apiKeyId, requests, until: toInstant(until), reason, ...origin };
}

/** @param name of the key */
export function toGrant(row: GrantRow, name: string, now: Millis): QuotaGrant {
  return { ...toGrantRecord(row), api_key_name: name, status: row.until > now ? 'active' : 'ended' };
}
