import { randomInt } from 'node:crypto';
import { PackedShard, type PackedWindow } from '@/lib/counters/embedded/packed/packed-shard';

/** Number of shards. Each is small enough to grow within one turn. */
const SHARDS = 64;
const SHARD_BITS = 6;
const LONGEST_KEY = 255;

/** Packed windows by key, in shards. A place is valid until its window is removed. `README.md` describes the layout. */
export class PackedWindows {
  readonly #shards = Array.from({ length: SHARDS }, () => new PackedShard());
  #size = 0;

  /** @param seed seed of the hashes, random so that clients cannot choose keys that collide */
  constructor(private readonly seed = randomInt(2 ** 32)) {}

  get size(): number {
    return this.#size;
  }

  /** Returns the place of a key, or -1 if it is missing. */
  find(key: string): number {
    if (this.#size === 0) return -1;
    const hash = hashKey(key, this.seed);
    const shard = hash >>> (32 - SHARD_BITS);
    const entry = this.#findShard(shard).find(key, hash);
    return entry < 0 ? -1 : entry * SHARDS + shard;
  }

  /** Adds a window. @returns its place, or -1 if there is none for it, which is rare */
  add(key: string, window: PackedWindow): number {
    if (key.length === 0 || key.length > LONGEST_KEY) return -1;
    const hash = hashKey(key, this.seed);
    const shard = hash >>> (32 - SHARD_BITS);
    const entry = this.#findShard(shard).add(key, hash);
    if (entry < 0) return -1;
    this.#findShard(shard).write(entry, window);
    this.#size += 1;
    return entry * SHARDS + shard;
  }

  read(place: number): PackedWindow {
    return this.#findShard(place % SHARDS).read(Math.trunc(place / SHARDS));
  }

  write(place: number, window: PackedWindow): void {
    this.#findShard(place % SHARDS).write(Math.trunc(place / SHARDS), window);
  }

  remove(place: number): void {
    this.#findShard(place % SHARDS).remove(Math.trunc(place / SHARDS));
    this.#size -= 1;
  }

  readKey(place: number): string {
    return this.#findShard(place % SHARDS).readKey(Math.trunc(place / SHARDS));
  }

  startsWith(place: number, prefix: string): boolean {
    return this.#findShard(place % SHARDS).startsWith(Math.trunc(place / SHARDS), prefix);
  }

  readPosition(place: number): number {
    return this.#findShard(place % SHARDS).readPosition(Math.trunc(place / SHARDS));
  }

  clear(): void {
    for (let shard = 0; shard < SHARDS; shard += 1) this.#shards[shard] = new PackedShard();
    this.#size = 0;
  }

  /** Yields all places, in no order. Concurrent additions and removals may be left out. */
  *listPlaces(): Iterable<number> {
    for (let i = 0; i < SHARDS; i += 1) {
      for (let entry = 0; entry < this.#findShard(i).end; entry += 1) {
        if (this.#findShard(i).has(entry)) yield entry * SHARDS + i;
      }
    }
  }

  #findShard(number: number): PackedShard {
    return this.#shards[number] as PackedShard;
  }
}

/** Hashes a key to 32 bits, in the manner of MurmurHash2. */
function hashKey(key: string, seed: number): number {
  let hash = seed ^ key.length;
  for (let i = 0; i < key.length; i += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(i), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 13), 0x5bd1e995);
  return hash ^ (hash >>> 15);
}
