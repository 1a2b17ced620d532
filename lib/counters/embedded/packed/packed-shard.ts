import type { JournaledWindow } from '@/lib/counters/embedded/journaled-window';
import { SlotBlocks } from '@/lib/counters/embedded/packed/slot-blocks';
import { packOlder } from '@/lib/counters/slots-text';
import { NO_OLDER_SLOTS, OlderSlots, ZERO } from '@/lib/limiter/older-slots';
import type { SlidingCounter } from '@/lib/limiter/sliding-counter';
import type { Seconds } from '@/lib/units';

/** Packed fields of a window. */
export type PackedWindow = Pick<SlidingCounter, 'newest' | 'latest' | 'older'> & {
  readonly seconds: Seconds;
  readonly position: number;
};

/** Entries of a new shard. */
const ROOM = 16;
/** Maximum probes of a key. A key that needs more is not added, so that every look-up is fast. */
const MOST_PROBES = 32;
/** Bytes of a record. Its fields are described in `README.md`. */
const RECORD = 64;
const [DOUBLES, INTS] = [RECORD / 8, RECORD / 4];
const [HASH, SECONDS, KEY_START, BLOCK_OF] = [6, 7, 8, 9];
const [KEY_LENGTH, PAIRS_LENGTH, PAIRS] = [40, 41, 42];
/** First byte of texts of older slots with one digit per slot. */
const ONE_DIGIT = 49;
/** Buffer for the text that is being read. Each pair may follow up to 255 slots without hits. */
const TEXT = Buffer.allocUnsafeSlow((RECORD - PAIRS) * 128 + 1);

/**
 * Windows by key, in a few arrays of numbers and bytes. They take a third of the memory of objects in a map, and the
 * garbage collector does not visit them. An entry keeps its number until it is removed.
 */
export class PackedShard {
  /** Hash table of entry numbers plus one, with linear probing. 0 is free. */
  #index = new Int32Array(2 * ROOM);
  #doubles = new Float64Array(DOUBLES * ROOM);
  /** Block numbers are stored plus one. 0 means no block. */
  #ints = new Int32Array(this.#doubles.buffer);
  /** The key length is 0 for a free entry. */
  #bytes = new Uint8Array(this.#doubles.buffer);
  #keys = Buffer.allocUnsafeSlow(ROOM * 32);
  #keysEnd = 0;
  #keysGone = 0;
  /** Older slots that do not fit into a record. */
  readonly #blocks = new SlotBlocks();
  /** Older slots that do not fit into a block. */
  readonly #large = new Map<number, OlderSlots>();
  #end = 0;
  readonly #freeEntries: number[] = [];

  get size(): number {
    return this.#end - this.#freeEntries.length;
  }

  /** Upper bound of entry numbers. Some entries below it may be free. */
  get end(): number {
    return this.#end;
  }

  has(entry: number): boolean {
    return this.#readByte(entry, KEY_LENGTH) > 0;
  }

  /** Returns the number of an entry, or -1. */
  find(key: string, hash: number): number {
    const mask = this.#index.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const entry = (this.#index[at] as number) - 1;
      if (entry < 0) return -1;
      if (this.#readInteger(entry, HASH) === hash && this.#hasKey(entry, key)) return entry;
    }
  }

  readKey(entry: number): string {
    const start = this.#readInteger(entry, KEY_START);
    return this.#keys.toString('latin1', start, start + this.#readByte(entry, KEY_LENGTH));
  }

  startsWith(entry: number, prefix: string): boolean {
    return this.#readByte(entry, KEY_LENGTH) >= prefix.length && this.#hasKeyPrefix(entry, prefix);
  }

  readPosition(entry: number): number {
    return this.#doubles[DOUBLES * entry + 2] as number;
  }

  read(entry: number): PackedWindow {
    const first = DOUBLES * entry;
    return {
      newest: convertToSmallInteger(this.#doubles[first] as number),
      latest: convertToSmallInteger(this.#doubles[first + 1] as number),
      older: this.#readOlder(entry),
      seconds: this.#readInteger(entry, SECONDS),
      position: convertToSmallInteger(this.#doubles[first + 2] as number),
    };
  }

  write(entry: number, { newest, latest, older, seconds, position }: JournaledWindow | PackedWindow): void {
    const first = DOUBLES * entry;
    this.#doubles[first] = newest;
    this.#doubles[first + 1] = latest;
    this.#doubles[first + 2] = position;
    this.#setInt(entry, SECONDS, seconds);
    this.#writeOlder(entry, older);
  }

  /**
   * Adds an entry, which the caller must write.
   * @param key printable ASCII, 1 to 255 characters, not in the shard
   * @returns -1 if there is no place for it
   */
  add(key: string, hash: number): number {
    if (2 * (this.size + 1) > this.#index.length) this.#reindex();
    const mask = this.#index.length - 1;
    let at = hash & mask;
    for (let probes = 1; this.#index[at] !== 0; probes += 1, at = (at + 1) & mask)
      if (probes === MOST_PROBES) return -1;
    const entry = this.#freeEntries.pop() ?? this.#addEntry();
    this.#index[at] = entry + 1;
    this.#setInt(entry, HASH, hash);
    this.#keepKey(entry, key);
    return entry;
  }

  remove(entry: number): void {
    this.#unindex(entry);
    this.#writeOlder(entry, NO_OLDER_SLOTS);
    this.#keysGone += this.#readByte(entry, KEY_LENGTH);
    this.#setByte(entry, KEY_LENGTH, 0);
    this.#freeEntries.push(entry);
  }

  #readInteger(entry: number, field: number): number {
    return this.#ints[INTS * entry + field] as number;
  }

  #readByte(entry: number, field: number): number {
    return this.#bytes[RECORD * entry + field] as number;
  }

  #setByte(entry: number, field: number, value: number): void {
    this.#bytes[RECORD * entry + field] = value;
  }

  #setInt(entry: number, field: number, value: number): void {
    this.#ints[INTS * entry + field] = value;
  }

  #hasKey(entry: number, key: string): boolean {
    return this.#readByte(entry, KEY_LENGTH) === key.length && this.#hasKeyPrefix(entry, key);
  }

  /** Returns whether the key of an entry begins with this text. */
  #hasKeyPrefix(entry: number, text: string): boolean {
    const start = this.#readInteger(entry, KEY_START);
    for (let i = 0; i < text.length; i += 1) if (this.#keys[start + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  #readOlder(entry: number): OlderSlots {
    const length = this.#readByte(entry, PAIRS_LENGTH);
    if (length > 0) return new OlderSlots(this.#readPairs(RECORD * entry + PAIRS, length));
    const block = this.#readInteger(entry, BLOCK_OF) - 1;
    if (block < 0) return (this.#large.size > 0 && this.#large.get(entry)) || NO_OLDER_SLOTS;
    return new OlderSlots(this.#blocks.read(block));
  }

  #writeOlder(entry: number, older: OlderSlots): void {
    const hits = older.length === 0 ? '' : packOlder(older);
    const pairs = typeof hits === 'string' ? this.#writePairs(RECORD * entry + PAIRS, hits) : 0;
    this.#setByte(entry, PAIRS_LENGTH, pairs);
    const isInRecord = hits === '' || pairs > 0;
    const isInBlock = !isInRecord && typeof hits === 'string' && SlotBlocks.canFit(hits);
    if (isInBlock) this.#writeBlock(entry, hits);
    else this.#freeBlock(entry);
    if (!isInRecord && !isInBlock) this.#large.set(entry, older);
    else if (this.#large.size > 0) this.#large.delete(entry);
  }

  #freeBlock(entry: number): void {
    const block = this.#readInteger(entry, BLOCK_OF) - 1;
    if (block < 0) return;
    this.#blocks.free(block);
    this.#setInt(entry, BLOCK_OF, 0);
  }

  #readPairs(start: number, length: number): string {
    let end = 1;
    TEXT[0] = ONE_DIGIT;
    for (let at = start; at < start + length; at += 2) {
      for (let gap = this.#bytes[at] as number; gap > 0; gap -= 1) TEXT[end++] = ZERO;
      TEXT[end++] = this.#bytes[at + 1] as number;
    }
    return TEXT.toString('latin1', 0, end);
  }

  /** @returns how many bytes were written, or 0 if the hits cannot be written as pairs */
  #writePairs(start: number, hits: string): number {
    if (hits.charCodeAt(0) !== ONE_DIGIT || hits.charCodeAt(hits.length - 1) === ZERO) return 0;
    let at = start;
    let gap = 0;
    for (let i = 1; i < hits.length; i += 1) {
      const unit = hits.charCodeAt(i);
      if (unit === ZERO) {
        gap += 1;
        continue;
      }
      if (at === start + RECORD - PAIRS || gap > 255) return 0;
      this.#bytes[at] = gap;
      this.#bytes[at + 1] = unit;
      at += 2;
      gap = 0;
    }
    return at - start;
  }

  #writeBlock(entry: number, hits: string): void {
    if (this.#readInteger(entry, BLOCK_OF) === 0) this.#setInt(entry, BLOCK_OF, this.#blocks.take() + 1);
    this.#blocks.write(this.#readInteger(entry, BLOCK_OF) - 1, hits);
  }

  #addEntry(): number {
    if (this.#end * DOUBLES === this.#doubles.length) {
      this.#doubles = copyInto(this.#doubles, new Float64Array(growRoom(this.#end) * DOUBLES));
      this.#ints = new Int32Array(this.#doubles.buffer);
      this.#bytes = new Uint8Array(this.#doubles.buffer);
    }
    this.#end += 1;
    return this.#end - 1;
  }

  #keepKey(entry: number, key: string): void {
    if (this.#keysEnd + key.length > this.#keys.length) this.#moveKeys(key.length);
    for (let i = 0; i < key.length; i += 1) this.#keys[this.#keysEnd + i] = key.charCodeAt(i);
    this.#setInt(entry, KEY_START, this.#keysEnd);
    this.#setByte(entry, KEY_LENGTH, key.length);
    this.#keysEnd += key.length;
  }

  /** Makes room for a key, and closes the gaps of removed keys. */
  #moveKeys(length: number): void {
    const keys = Buffer.allocUnsafeSlow(growRoom(this.#keysEnd - this.#keysGone + length));
    let end = 0;
    for (let entry = 0; entry < this.#end; entry += 1) {
      const start = this.#readInteger(entry, KEY_START);
      const size = this.#readByte(entry, KEY_LENGTH);
      this.#keys.copy(keys, end, start, start + size);
      this.#setInt(entry, KEY_START, end);
      end += size;
    }
    this.#keys = keys;
    this.#keysEnd = end;
    this.#keysGone = 0;
  }

  #reindex(): void {
    const index = new Int32Array(2 * this.#index.length);
    const mask = index.length - 1;
    for (let entry = 0; entry < this.#end; entry += 1) {
      if (!this.has(entry)) continue;
      let at = this.#readInteger(entry, HASH) & mask;
      while (index[at] !== 0) at = (at + 1) & mask;
      index[at] = entry + 1;
    }
    this.#index = index;
  }

  /** Removes an entry from the index, and closes the gap in its probe sequence (Knuth, 6.4, algorithm R). */
  #unindex(entry: number): void {
    const mask = this.#index.length - 1;
    let gap = this.#readInteger(entry, HASH) & mask;
    while (this.#index[gap] !== entry + 1) gap = (gap + 1) & mask;
    for (let at = (gap + 1) & mask; this.#index[at] !== 0; at = (at + 1) & mask) {
      const other = this.#index[at] as number;
      const ideal = this.#readInteger(other - 1, HASH) & mask;
      if (((at - ideal) & mask) < ((at - gap) & mask)) continue;
      this.#index[gap] = other;
      gap = at;
    }
    this.#index[gap] = 0;
  }
}

/** Returns a size that is a quarter larger. */
function growRoom(room: number): number {
  return Math.ceil(1.25 * room) + ROOM;
}

function copyInto<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** Converts an integer to a small integer, which V8 stores without a box. Other numbers stay the same. */
function convertToSmallInteger(value: number): number {
  const small = value | 0;
  return small === value ? small : value;
}
