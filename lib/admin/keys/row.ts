import { and, eq, isNull, ne } from 'drizzle-orm';
import { apiKeys } from '@/drizzle/schema';
import type { AuditEntry } from '@/lib/admin/change';
import { buildLifetime, buildRowColumns, createPrefixedSecret, createRandomUuid } from '@/lib/admin/new-row';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';
import { type KeyLimits, KeyLimitsSchema } from '@/lib/contract/fields/named-limit';
import { formatTimestamp, formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import type { ApiKey } from '@/lib/contract/keys';
import type { Database } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import { createInvalidField } from '@/lib/http/input';
import type { ApiKeyId } from '@/lib/ids';
import { moveAnchor } from '@/lib/limiter/month-anchor';
import type { Context } from '@/lib/operation/context';
import { buildRevisionTag, requireMatch } from '@/lib/operation/entity-tag';
import type { Millis } from '@/lib/units';

export type ApiKeyRow = typeof apiKeys.$inferSelect;

/** Finds a key that is not revoked. @throws ApiError not_found, with the time if it was revoked */
export async function requireRegisteredKey(database: Database, id: ApiKeyId): Promise<ApiKeyRow> {
  const key = await requireAnyKey(database, id);
  if (key.revokedAt !== null)
    throw new ApiError('not_found', `This API key was revoked at ${formatTimestamp(key.revokedAt)}.`);
  return key;
}

/** Finds a key, even if it is revoked. @throws ApiError not_found */
export async function requireAnyKey(database: Database, id: ApiKeyId): Promise<ApiKeyRow> {
  const [row] = await database.drizzle.select().from(apiKeys).where(eq(apiKeys.id, id));
  if (row === undefined) throw new ApiError('not_found', 'There is no such API key.');
  return row;
}

/** Finds a registered key that matches `If-Match`. @throws ApiError not_found, precondition_failed */
export async function requireUnchangedKey({ services, facts }: Context, id: ApiKeyId): Promise<ApiKeyRow> {
  const key = await requireRegisteredKey(services.database, id);
  requireMatch(facts.ifMatch, buildRevisionTag(key.revision));
  return key;
}

/** Builds the row of a new key, with its secret and its audit record. */
export function buildKey(
  context: Context,
  revision: number,
  fields: Omit<
    ApiKeyRow,
    keyof ReturnType<typeof buildRowColumns> | 'id' | 'prefix' | 'secretHash' | keyof typeof NOT_ENDED
  >,
) {
  const { randomBytes } = context.services;
  const { secret, ...hashed } = createPrefixedSecret('slk_', randomBytes);
  const id: ApiKeyId = createRandomUuid(randomBytes);
  const row: ApiKeyRow = { id, ...fields, ...hashed, ...NOT_ENDED, ...buildRowColumns(context, revision) };
  const audit: AuditEntry = { action: 'api_key.create', target: id, after: buildApiKey(row) };
  return { row, secret, audit };
}

const NOT_ENDED = { previousSecretHash: null, previousSecretUntil: null, revokedAt: null };

type KeyEdit = 'api_key.update' | 'api_key.rotate' | 'api_key.revoke' | 'quota.tier';

/** Builds the audit record of a key that was edited. */
export function buildKeyRecord(action: KeyEdit, before: ApiKeyRow, after: ApiKeyRow): AuditEntry {
  const show = (row: ApiKeyRow) =>
    action === 'quota.tier' ? { tier: row.tier, overage_allowed: row.overageAllowed } : buildApiKey(row);
  return { action, targetType: 'api_key', target: before.id, before: show(before), after: show(after) };
}

/** Plans a change of some columns of a key. */
export function planEdit({ services }: Context, action: KeyEdit, key: ApiKeyRow, columns: Partial<ApiKeyRow>) {
  return {
    audit: buildKeyRecord(action, key, { ...key, ...columns }),
    statements: [services.database.drizzle.update(apiKeys).set(columns).where(eq(apiKeys.id, key.id))],
  };
}

/** Reads the windows of named limits of a key. */
export function readKeyLimits({ limits }: Pick<ApiKeyRow, 'limits'>): KeyLimits {
  return limits === null ? {} : KeyLimitsSchema.parse(JSON.parse(limits));
}

/** Formats the windows of named limits of a key for its row, sorted by name. Null if there are none. */
export function writeKeyLimits(limits: KeyLimits): string | null {
  const sorted = Object.entries(limits).sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.length === 0 ? null : JSON.stringify(Object.fromEntries(sorted));
}

/** Converts a row to the public form, which the audit log stores too. It holds only the prefix of the secret. */
export function buildApiKey(row: ApiKeyRow): ApiKey {
  const { id, name, tier, prefix } = row;
  return {
    id,
    name,
    tier,
    client_type: row.clientType,
    user_id: row.userId,
    prefix,
    overage_allowed: row.overageAllowed,
    month_starts_on: row.monthStartsOn,
    limits: readKeyLimits(row),
    ...buildLifetime(row),
    revoked_at: formatTimestampOrNull(row.revokedAt),
    previous_secret_until: formatTimestampOrNull(row.previousSecretUntil),
  };
}

/**
 * Refuses a name that another key has. The name of a revoked key is free.
 * @param id of the key itself, null if it is new
 * @throws ApiError conflict
 */
export async function requireFreeName(database: Database, name: string, id: ApiKeyId | null): Promise<void> {
  const other = id === null ? undefined : ne(apiKeys.id, id);
  const taken = await database.drizzle.$count(apiKeys, and(eq(apiKeys.name, name), isNull(apiKeys.revokedAt), other));
  if (taken > 0) throw new ApiError('conflict', 'Another API key has this name.');
}

/**
 * Computes the months of a key after their first day changes. The current usage stays counted until that day.
 * @throws ApiError conflict
 */
export function moveMonths(key: Pick<ApiKeyRow, 'monthStartsOn' | 'monthShift'>, day: number, now: Millis) {
  const { monthStartsOn, monthShift } = key;
  if (day === monthStartsOn) return { monthStartsOn, monthShift };
  const shift = moveAnchor({ day: monthStartsOn, shift: monthShift }, day, now);
  if (shift === null) throw new ApiError('conflict', 'The month of this key was moved too often. Make a new key.');
  return { monthStartsOn: day, monthShift: shift };
}

/** Refuses overage for a tier that does not have it. @throws ApiError invalid_request */
export function requireOverageTier(tier: QuotaTier, overageAllowed: boolean): void {
  if (overageAllowed && tier === 'free') throw createInvalidField('overage_allowed', 'needs the tier starter or above');
}
