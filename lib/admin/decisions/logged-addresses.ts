import { and, gte, lt } from 'drizzle-orm';
import { decisions } from '@/drizzle/schema';
import { findCommonPrefix } from '@/lib/admin/limits/counter-selection';
import type { Database } from '@/lib/db/database';
import { type AddressRange, countBits, isWithin, parseAddress } from '@/lib/limiter/address';

/** Most addresses matched by one range. */
const MOST = 10_000;
/** Sorts after every character of an address. */
const END = '~';

/** Logged addresses in canonical form, by the range that contains them. */
export type LoggedAddresses = ReadonlyMap<string, readonly string[]>;

/** Finds the logged addresses in each range, at most 10,000 each. Skips nulls and ranges of a single address. */
export async function findLoggedAddresses(
  database: Database,
  ranges: readonly (AddressRange | null)[],
): Promise<LoggedAddresses> {
  const found = new Map<string, readonly string[]>();
  for (const range of ranges) {
    if (range !== null && range.length < countBits(range.first))
      found.set(range.text, await readAddressesInRange(database, range));
  }
  return found;
}

async function readAddressesInRange({ drizzle }: Database, range: AddressRange): Promise<string[]> {
  const { ip } = decisions;
  const { text } = findCommonPrefix(range);
  const rows = await drizzle
    .selectDistinct({ ip })
    .from(decisions)
    .where(and(gte(ip, text), lt(ip, `${text}${END}`)));
  const addresses = rows.flatMap((row) => parseAddress(row.ip ?? '') ?? []);
  return addresses.flatMap((address) => (isWithin(address, range) ? address.text : [])).slice(0, MOST);
}
