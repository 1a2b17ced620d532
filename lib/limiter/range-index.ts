import { type Address, type AddressRange, isWithin } from '@/lib/limiter/address';

/** A range, linked to the next one whose prefix has the same hash. */
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
 * Finds the most specific range that holds an address. The index has one hash map for each prefix length in use,
 * longest first. A look-up reads one map per length: a handful in practice, at most 33 or 129, regardless of the number
 * of ranges.
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

  /** Removes a range. Returns false if it was missing. */
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
   * Returns the value of the most specific accepted range that holds the address.
   * @param accept rejects values, such as expired ones; receives the length of the prefix too
   */
  find(address: Address, accept?: (value: T, length: number) => boolean): T | undefined {
    for (const { length, buckets } of this.#tables[address.family]) {
      for (let entry = buckets.get(hashPrefix(address, length)); entry !== undefined; entry = entry.next) {
        if (isWithin(address, entry.range) && (accept === undefined || accept(entry.value, length))) return entry.value;
      }
    }
    return undefined;
  }

  /** Lists the values of all ranges. */
  *values(): Generator<T> {
    for (const { buckets } of [...this.#tables[4], ...this.#tables[6]])
      for (const bucket of buckets.values())
        for (let entry: Entry<T> | undefined = bucket; entry !== undefined; entry = entry.next) yield entry.value;
  }

  /** Lists the narrower ranges inside a range, longest prefix first. Visits every range of its family. */
  *listNarrowerRanges(range: AddressRange): Generator<{ range: AddressRange; value: T }> {
    for (const { length, buckets } of this.#tables[range.first.family]) {
      if (length <= range.length) return;
      for (const bucket of buckets.values()) {
        for (let entry: Entry<T> | undefined = bucket; entry !== undefined; entry = entry.next)
          if (isWithin(entry.range.first, range)) yield { range: entry.range, value: entry.value };
      }
    }
  }
}

/** Hashes the first `length` bits to a 32-bit number. The hash is exact up to 32 bits; longer prefixes can collide. */
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

/** Multiplies by 2^32 divided by the golden ratio (Knuth, "Sorting and Searching", section 6.4). */
function mixHash(hash: number, word: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) ^ word;
}
