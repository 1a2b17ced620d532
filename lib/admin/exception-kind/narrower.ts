import { type Address, countSubjectBits, isWithin, parseRange } from '@/lib/limiter/address';
import type { Context } from '@/lib/operation/context';
import { readAddressBounds } from '@/lib/statistics/range-addresses';
import { RANGE_ADDRESSES_KEPT_FOR } from '@/lib/statistics/writes';
import type { Millis } from '@/lib/units';

/** A narrower range that contains every address that used an exemption. */
interface Narrower {
  range: string;
  /** Start of the recorded uses. */
  since: Millis;
}

/**
 * Finds the narrowest range of all addresses. Null unless it is narrower than the range of the exemption.
 * An IPv6 address counts as its /64.
 */
function findNarrowerRange(identifier: string, addresses: readonly Address[]): string | null {
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

/** Finds a narrower range for each exemption, by the addresses recorded for it. */
export async function findNarrowerRanges(
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
      const usage = used.get(id);
      const range = usage && findNarrowerRange(identifier, usage.addresses);
      return range == null || usage === undefined ? [] : [[id, { range, since: usage.since }] as const];
    }),
  );
}
