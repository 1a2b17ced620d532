import { and, gte, inArray, max, min } from 'drizzle-orm';
import { rangeAddresses } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import { isReadable } from '@/lib/db/readable-rows';
import { type Address, parseRange } from '@/lib/limiter/address';
import { splitInSteps } from '@/lib/split-in-steps';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { DAY, type Millis } from '@/lib/units';

/** Most exemptions that are followed within a day. More are ignored. About 2 MB. */
const MOST_FOLLOWED = 10_000;
const CHUNK = 500;

/** A row of the `override_addresses` table, in the order of its columns. */
export type RangeAddressesRow = [exception: string, day: Millis, lowest: string, highest: string];

interface Followed {
  readonly exception: string;
  readonly day: Millis;
  lowest: Address;
  highest: Address;
  waiting: boolean;
}

/**
 * The lowest and the highest address that used each override and allowlist entry, by day. The narrowest range that
 * holds both also holds all addresses between them. Adding takes one look-up and two comparisons, and memory is
 * bounded.
 */
export class RangeAddresses {
  #day: Millis = 0;
  readonly #followed = new Map<string, Followed>();
  #waiting: Followed[] = [];

  add({ exception, address }: NonNullable<DecisionEvent['rangeUse']>, at: Millis): void {
    const day = at - (at % DAY);
    if (day > this.#day) {
      this.#day = day;
      this.#followed.clear();
    }
    let followed = this.#followed.get(exception);
    if (followed === undefined) {
      if (this.#followed.size >= MOST_FOLLOWED || this.#waiting.length >= MOST_FOLLOWED) return;
      followed = { exception, day: this.#day, lowest: address, highest: address, waiting: false };
      this.#followed.set(exception, followed);
    } else if (isBelow(address, followed.lowest)) followed.lowest = address;
    else if (isBelow(followed.highest, address)) followed.highest = address;
    else return;
    if (followed.waiting) return;
    followed.waiting = true;
    this.#waiting.push(followed);
  }

  /** Removes and returns the oldest waiting rows. */
  take(most: number): RangeAddressesRow[] {
    return this.#waiting.splice(0, most).map((followed) => {
      followed.waiting = false;
      const { exception, day, lowest, highest } = followed;
      return [exception, day, formatSortable(lowest), formatSortable(highest)];
    });
  }
}

/** Compares two addresses of one family by the bits that distinguish subjects. */
function isBelow(a: Address, b: Address): boolean {
  return a.w0 === b.w0 ? a.family === 6 && a.w1 < b.w1 : a.w0 < b.w0;
}

/** Formats the bits that distinguish subjects as 8 or 16 hexadecimal digits. The texts sort like the addresses. */
function formatSortable({ family, w0, w1 }: Address): string {
  const formatDigits = (word: number) => word.toString(16).padStart(8, '0');
  return family === 4 ? formatDigits(w0) : formatDigits(w0) + formatDigits(w1);
}

/** Parses the text that `formatSortable` returned. An IPv6 address becomes the first one of its /64. */
function parseSortable(digits: string): Address | null {
  const groups = digits.match(digits.length === 8 ? /../g : /..../g) ?? [];
  if (digits.length === 8)
    return parseRange(groups.map((group) => Number.parseInt(group, 16)).join('.'))?.first ?? null;
  return parseRange(`${groups.join(':')}::/64`)?.first ?? null;
}

/**
 * Reads the lowest and the highest address that used each exemption since a day, and when that record begins.
 * Exemptions without use since then are missing from the result.
 */
export async function readAddressBounds({ drizzle }: Database, ids: readonly string[], since: Millis) {
  const found = new Map<string, { addresses: readonly Address[]; since: Millis }>();
  const { exception, day, lowest, highest } = rangeAddresses;
  for (const some of splitInSteps(ids, CHUNK)) {
    const rows = await drizzle
      .select({ exception, first: min(day), lowest: min(lowest), highest: max(highest) })
      .from(rangeAddresses)
      .where(and(inArray(exception, some), gte(day, since), isReadable(exception, day, lowest, highest)))
      .groupBy(exception);
    for (const row of rows) {
      const addresses = [row.lowest, row.highest].flatMap((digits) =>
        digits === null ? [] : (parseSortable(digits) ?? []),
      );
      found.set(row.exception, { addresses, since: row.first ?? since });
    }
  }
  return found;
}
