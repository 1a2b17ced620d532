import { and, gte, inArray, max, min } from 'drizzle-orm';
import { rangeAddresses } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import { type Address, parseRange } from '@/lib/limiter/address';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { DAY } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

/** Exceptions that are followed within a day; more are not. About 2 MB. */
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
 * The lowest and the highest address that used each override and allowlist entry, by day: the narrowest range that holds
 * both holds all between. Adding is one look-up and two comparisons; memory is bounded.
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

  /** The oldest rows that wait. */
  take(most: number): RangeAddressesRow[] {
    return this.#waiting.splice(0, most).map((followed) => {
      followed.waiting = false;
      const { exception, day, lowest, highest } = followed;
      return [exception, day, sortable(lowest), sortable(highest)];
    });
  }
}

/** Of one family, by the bits that tell subjects apart. */
function isBelow(a: Address, b: Address): boolean {
  return a.w0 === b.w0 ? a.family === 6 && a.w1 < b.w1 : a.w0 < b.w0;
}

/** The bits that tell subjects apart as hexadecimal digits, 8 or 16: as texts they sort like the addresses. */
function sortable({ family, w0, w1 }: Address): string {
  const digits = (word: number) => word.toString(16).padStart(8, '0');
  return family === 4 ? digits(w0) : digits(w0) + digits(w1);
}

/** The address that `sortable` was made of; of IPv6 the first of its /64. */
function addressOf(digits: string): Address | null {
  const groups = digits.match(digits.length === 8 ? /../g : /..../g) ?? [];
  if (digits.length === 8)
    return parseRange(groups.map((group) => Number.parseInt(group, 16)).join('.'))?.first ?? null;
  return parseRange(`${groups.join(':')}::/64`)?.first ?? null;
}

/**
 * The lowest and the highest address that used each of these exceptions since a day, and since when that is kept; none of
 * an exception that nobody has used since.
 */
export async function addressesOf({ drizzle }: Database, ids: readonly string[], since: Millis) {
  const found = new Map<string, { addresses: readonly Address[]; since: Millis }>();
  const { exception, day, lowest, highest } = rangeAddresses;
  for (let start = 0; start < ids.length; start += CHUNK) {
    const rows = await drizzle
      .select({ exception, first: min(day), lowest: min(lowest), highest: max(highest) })
      .from(rangeAddresses)
      .where(and(inArray(exception, ids.slice(start, start + CHUNK)), gte(day, since)))
      .groupBy(exception);
    for (const row of rows) {
      const addresses = [row.lowest, row.highest].flatMap((digits) =>
        digits === null ? [] : (addressOf(digits) ?? []),
      );
      found.set(row.exception, { addresses, since: row.first ?? since });
    }
  }
  return found;
}
