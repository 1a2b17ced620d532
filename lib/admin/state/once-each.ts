import { computeLatestExpiry } from '@/lib/contract/fields/timestamp';
import { createInvalidField } from '@/lib/http/input';
import type { Millis } from '@/lib/units';

/** Refuses a section that names an entry twice. @throws ApiError invalid_request */
export function requireOnceEach(section: string, names: readonly string[]): void {
  const first = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const before = first.get(name);
    if (before !== undefined) throw createInvalidField(`${section}.${index}`, `names the same as ${section}.${before}`);
    first.set(name, index);
  }
}

/**
 * Refuses an end that is too far ahead. Allows a past end, because documents outlive it.
 * @throws ApiError invalid_request
 */
export function requireAllowedEnd(path: string, end: Millis | null, now: Millis): void {
  if (end !== null && end > computeLatestExpiry(now)) throw createInvalidField(path, 'must lie at most 10 years ahead');
}
