import { type Address, type AddressRange, isWithin } from '@/lib/limiter/address';

/** A range, and the next one whose prefix has the same hash. */
interface Entry<T> {
  readonly range: AddressRange;
  readonly value: T;
  readonly next: Entry<T> | undefined;
}

/** All ranges of one family and prefix length, by the hash of their prefix. */
interface PrefixTable<T> {
  readonly length: number;
  readonly buckets: Map<number, Entry<T>>;
}

/**
 * Finds the most specific range that an address lies in. One hash map for each prefix length in use, longest first: a
 * look-up reads as many maps as there are lengths (a handful in practice, 33 or 129 at most), however many ranges.
 */
export class RangeIndex<T> {
  /** Tables by family, longest prefix first. */
  readonly #tables: Record<4 | 6, PrefixTable<T>[]> = { 4: [], 6: [] };
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a range, or replaces its value. */
  set(range: AddressRange, value: T): void {
    this.delete(range);
    const tables = this.#tables[range.first.family];
    let table = tables.find(({ length }) => length === range.length);
    if (table === undefined) {
      table = { length: range.length, buckets: new Map() };
      tables.push(table);
      tables.sort((a, b) => b.length - a.length);
    }
    const hash = hashPrefix(range.first, range.length);
    table.buckets.set(hash, { range, value, next: table.buckets.get(hash) });
    this.#size += 1;
  }

  /** Removes a range; false when it was not there. */
  delete(range: AddressRange): boolean {
    const tables = this.#tables[range.first.family];
    const index = tables.findIndex(({ length }) => length === range.length);
    const buckets = tables[index]?.buckets;
    const hash = hashPrefix(range.first, range.length);
    let found = false;
    let others: Entry<T> | undefined;
    for (let entry = buckets?.get(hash); entry !== undefined; entry = entry.next) {
      if (isWithin(range.first, entry.range)) found = true;
      else others = { ...entry, next: others };
    }
    if (buckets === undefined || !found) return false;
    if (others !== undefined) buckets.set(hash, others);
    else buckets.delete(hash);
    if (buckets.size === 0) tables.splice(index, 1);
    this.#size -= 1;
    return true;
  }

  /**
   * The value of the most specific range that holds the address and is accepted, as an expired one may not be.
   * @param accept gets the length of the prefix too
   */
  find(address: Address, accept?: (value: T, length: number) => boolean): T | undefined {
    for (const { length, buckets } of this.#tables[address.family]) {
      for (let entry = buckets.get(hashPrefix(address, length)); entry !== undefined; entry = entry.next) {
        if (isWithin(address, entry.range) && (accept === undefined || accept(entry.value, length))) return entry.value;
      }
    }
    return undefined;
  }
}

/** The first `length` bits as a 32-bit number: exact up to 32 bits, beyond that two prefixes can meet. */
function hashPrefix({ w0, w1, w2, w3 }: Address, length: number): number {
  if (length <= 32) return keepLeadingBits(w0, length);
  const second = mixHash(w0 | 0, keepLeadingBits(w1, length - 32));
  if (length <= 64) return second;
  const third = mixHash(second, keepLeadingBits(w2, length - 64));
  return length <= 96 ? third : mixHash(third, keepLeadingBits(w3, length - 96));
}

function keepLeadingBits(word: number, bits: number): number {
  if (bits >= 32) return word | 0;
  return bits === 0 ? 0 : word & (-1 << (32 - bits));
}

/** Multiplied by 2^32 divided by the golden ratio (Knuth, "Sorting and Searching", section 6.4). */
function mixHash(hash: number, word: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) ^ word;
}
