import type { grants } from '@/drizzle/schema';
import type { AuditEntry } from '@/lib/admin/change';
import { buildRowColumns, createOrderedId } from '@/lib/admin/new-row';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { QuotaGrant } from '@/lib/contract/grants';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

type GrantRow = typeof grants.$inferSelect;

/** Converts a grant to the form that the audit log stores. */
function buildStoredGrant(row: GrantRow): Omit<QuotaGrant, 'api_key_name' | 'status'> {
  const { id, apiKeyId, requests, until, reason, createdAt, createdBy } = row;
  const origin = { created_at: formatTimestamp(createdAt), created_by: createdBy };
  return { id, api_key: apiKeyId, requests, until: formatTimestamp(until), reason, ...origin };
}

/** Converts a grant to its public form. @param name of the key */
export function buildPublicGrant(row: GrantRow, name: string, now: Millis): QuotaGrant {
  return { ...buildStoredGrant(row), api_key_name: name, status: row.until > now ? 'active' : 'ended' };
}

/** Builds the row of a new grant. */
export function buildGrant(
  context: Context,
  revision: number,
  fields: Pick<GrantRow, 'apiKeyId' | 'requests' | 'until' | 'reason' | 'managed'>,
): GrantRow {
  const id = createOrderedId(context.now, revision, context.services.randomBytes);
  return { ...fields, id, removedAt: null, ...buildRowColumns(context, revision) };
}

/** Builds the audit record of a grant that is added or removed. */
export function buildGrantRecord(edit: 'add' | 'remove', row: GrantRow, reason: string | null = null): AuditEntry {
  const shown = edit === 'add' ? { after: buildStoredGrant(row) } : { before: buildStoredGrant(row) };
  return { action: `grant.${edit}`, targetType: 'api_key', target: row.apiKeyId, ...shown, reason };
}
