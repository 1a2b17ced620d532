import type { StoredNumbers } from '@/lib/contract/fields/numbers';
import { createInvalidField } from '@/lib/http/input';

/**
 * Requires that the named limit of an override exists, and that it has places if the override changes them.
 * @param prefix path of the override in its document
 * @throws ApiError invalid_request
 */
export function requireNamedLimit(
  limits: readonly { name: string; in_flight: object | null }[],
  { limitName, numbers }: { limitName: string; numbers: Pick<StoredNumbers, 'in_flight'> },
  prefix = '',
): void {
  if (limitName === '') return;
  const limit = limits.find(({ name }) => name === limitName);
  if (limit === undefined) throw createInvalidField(`${prefix}limit_name`, 'must name a limit');
  if (numbers.in_flight !== undefined && limit.in_flight === null)
    throw createInvalidField(`${prefix}in_flight`, 'needs a limit with places in flight');
}
