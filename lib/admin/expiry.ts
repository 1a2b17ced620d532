import { computeLatestExpiry } from '@/lib/contract/fields/timestamp';
import { createInvalidField } from '@/lib/http/input';
import type { Millis } from '@/lib/units';

/**
 * Checks a requested expiry: in the future, at most ten years ahead, or null for none.
 * @throws ApiError invalid_request
 */
export function requireValidExpiry(
  expiresAt: Millis | null | undefined,
  now: Millis,
  field: 'expires_at' | 'until' = 'expires_at',
): Millis | null {
  if (expiresAt === null || expiresAt === undefined) return null;
  if (expiresAt <= now) throw createInvalidField(field, 'must lie in the future');
  if (expiresAt > computeLatestExpiry(now)) throw createInvalidField(field, 'must lie at most 10 years ahead');
  return expiresAt;
}

/** Returns the row if it is still active. It ends in the millisecond of its expiry. */
export function findIfActive<Row extends { expiresAt: Millis | null }>(
  row: Row | undefined,
  now: Millis,
): Row | undefined {
  return row === undefined || (row.expiresAt !== null && row.expiresAt <= now) ? undefined : row;
}
