import { hasAllAddresses } from '@/lib/contract/fields/wide-range';
import type { Policies } from '@/lib/contract/policies';
import { createInvalidField } from '@/lib/http/input';
import { parseRange } from '@/lib/limiter/address';

interface NewEntry {
  type: string;
  identifier: string;
}

/**
 * Refuses a new entry that would let every address pass, unless the policies allow it.
 * @param field name of the identifier in the request
 * @throws ApiError invalid_request
 */
export function requireSafeRange(
  { allow_everyone: allowed }: Policies['exceptions'],
  { type, identifier }: NewEntry,
  field = 'identifier',
): void {
  const range = type === 'ip' ? parseRange(identifier) : null;
  if (range === null || allowed || !hasAllAddresses(range)) return;
  throw createInvalidField(
    field,
    `must not cover every IPv${range.first.family} address: the policy exceptions.allow_everyone does not allow it. To let everybody pass for a time, start an incident that observes`,
  );
}
