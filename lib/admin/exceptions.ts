import { tenYearsAhead } from '@/lib/contract/fields/instant';
import { invalidField } from '@/lib/http/input';
import type { Millis } from '@/lib/units';

/**
 * The expiry that a caller asks for: in the future, at most ten years ahead, or null for never.
 * @throws ApiError invalid_request
 */
export function checkedExpiry(expiresAt: Millis | null | undefined, now: Millis): Millis | null {
  if (expiresAt === null || expiresAt === undefined) return null;
  if (expiresAt <= now) throw invalidField('expires_at', 'must lie in the future');
  if (expiresAt > tenYearsAhead(now)) throw invalidField('expires_at', 'must lie at most 10 years ahead');
  return expiresAt;
}

/** Whether something that may expire is still active: not any more in the very millisecond of its expiry. */
export function isActive(entry: { expiresAt: Millis | null }, now: Millis): boolean {
  return entry.expiresAt === null || entry.expiresAt > now;
}
