import { effectivePolicies, storedPatch } from '@/lib/admin/policies/in-force';
import { invalidField } from '@/lib/http/input';
import type { Services } from '@/lib/operation/services';
import { DAY } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

/** How long exceptions may last from now on, in days; null for as long as anybody wants. */
export async function longestLife(services: Services): Promise<number | null> {
  return effectivePolicies(services, await storedPatch(services)).exceptions.longest_days;
}

/**
 * Refuses an end that is further away than the policies let exceptions last. Those that are there stay.
 * @param field as the caller knows it @throws ApiError invalid_request
 */
export function requireShort(longest: number | null, end: Millis | null, now: Millis, field = 'expires_at'): void {
  if (longest === null || (end !== null && end <= now + longest * DAY)) return;
  throw invalidField(
    field,
    `must lie at most ${longest === 1 ? 'a day' : `${longest} days`} ahead, as the policies say`,
  );
}
