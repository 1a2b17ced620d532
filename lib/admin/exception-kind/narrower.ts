import { type Address, countSubjectBits, isWithin, parseRange } from '@/lib/limiter/address';
import type { Context } from '@/lib/operation/context';
import { readAddressBounds } from '@/lib/statistics/range-addresses';
import { RANGE_ADDRESSES_KEPT_FOR } from '@/lib/statistics/writes';
import type { Millis } from '@/lib/units';

/** A range that would have served all who have used an exception for a wider one. */
interface Narrower {
  range: string;
  /** Since when those who used it are known. */
  since: Millis;
}

/**
 * The narrowest range of all these addresses, where it is narrower than the range of an exception. An IPv6 address
 * stands for its /64.
 */
function narrowerRange(identifier: string, addresses: readonly Address[]): string | null {
  const range = parseRange(identifier);
  const within = range === null ? [] : addresses.filter((address) => isWithin(address, range));
  const [first] = within;
  if (range === null || first === undefined) return null;
  for (let length: number = countSubjectBits(first); length > range.length; length -= 1) {
    const candidate = parseRange(`${first.text}/${length}`);
    if (candidate !== null && within.every((address) => isWithin(address, candidate))) return candidate.text;
  }
  return null;
}

/** The narrower ranges that would have served these exceptions, as far as the addresses that used them are kept. */
export async function narrowerRanges(
  { services, now }: Context,
  exceptions: readonly { id: string; type: string; identifier: string }[],
): Promise<Map<string, Narrower>> {
  const ranges = exceptions.filter(({ type, identifier }) => type === 'ip' && identifier.includes('/'));
  const since = now - RANGE_ADDRESSES_KEPT_FOR;
  const used = await readAddressBounds(
    services.database,
    ranges.map(({ id }) => id),
    since,
  );
  return new Map(
    ranges.flatMap(({ id, identifier }) => {
      const known = used.get(id);
      const range = known && narrowerRange(identifier, known.addresses);
      return range == null || known === undefined ? [] : [[id, { range, since: known.since }] as const];
    }),
  );
}
