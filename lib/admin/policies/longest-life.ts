import { computeEffectivePolicies, readStoredPatch } from '@/lib/admin/policies/in-force';
import type { Policies } from '@/lib/contract/policies';
import { createInvalidField } from '@/lib/http/input';
import type { Services } from '@/lib/operation/services';
import { DAY, type Millis } from '@/lib/units';

/** Reads the rules for new exemptions. */
export async function readExceptionPolicy(services: Services): Promise<Policies['exceptions']> {
  return computeEffectivePolicies(services, await readStoredPatch(services)).exceptions;
}

/** Reads the longest life of new exemptions, in days. Null if it is unlimited. */
export async function readLongestLife(services: Services): Promise<number | null> {
  return (await readExceptionPolicy(services)).longest_days;
}

/**
 * Refuses an end beyond the longest life of exemptions. Existing exemptions stay.
 * @param field its name in the request
 * @throws ApiError invalid_request
 */
export function requireAllowedLife(
  longest: number | null,
  end: Millis | null,
  now: Millis,
  field = 'expires_at',
): void {
  if (longest === null || (end !== null && end <= now + longest * DAY)) return;
  throw createInvalidField(
    field,
    `must lie at most ${longest === 1 ? 'a day' : `${longest} days`} ahead, as the policies say`,
  );
}
