import { type Address, type AddressRange, bitsOf, isWithin } from '@/lib/limiter/address';

/** A range and what it stands for. */
export interface RangeEntry<T> {
  readonly range: AddressRange;
  readonly value: T;
}

/**
 * A node of the tree: a range that was added, or the place where two of them part. It holds the bits of its range itself,
 * as signed 32-bit numbers, which need no memory of their own: a look-up is as fast as its reads from memory are few.
 */
class Node<T> {
  readonly family: 4 | 6;
  readonly w0: number;
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
  readonly length: number;
  entry: RangeEntry<T> | null;
  zero: Node<T> | null = null;
  one: Node<T> | null = null;

  constructor(first: Address, length: number, entry: RangeEntry<T> | null) {
    this.family = first.family;
    this.w0 = first.w0 | 0;
    this.w1 = first.w1 | 0;
    this.w2 = first.w2 | 0;
    this.w3 = first.w3 | 0;
    this.length = length;
    this.entry = entry;
  }
}

/**
 * Which ranges an address lies in, the most specific first: a path-compressed binary trie (Patricia, Morrison 1968) for
 * each family. A look-up passes as many nodes as prefixes part on its way, about 20 with 100,000 entries.
 */
export class RangeIndex<T> {
  #root4: Node<T> | null = null;
  #root6: Node<T> | null = null;
  #size = 0;

  /** How many ranges there are. */
  get size(): number {
    return this.#size;
  }

  /** Adds a range, or gives it another value. */
  set(range: AddressRange, value: T): void {
    const entry = { range, value };
    const leaf = new Node(range.first, range.length, entry);
    const { parent, node } = this.#descend(range);
    if (node === null) {
      this.#attach(parent, leaf);
      this.#size++;
      return;
    }
    const shared = Math.min(range.length, node.length, sharedBits(range.first, node));
    if (shared === node.length) {
      if (node.entry === null) this.#size++;
      node.entry = entry;
      return;
    }
    this.#size++;
    if (shared === range.length) {
      adopt(leaf, node);
      this.#attach(parent, leaf);
      return;
    }
    const fork = new Node<T>(range.first, shared, null);
    adopt(fork, node);
    adopt(fork, leaf);
    this.#attach(parent, fork);
  }

  /** Removes a range; false when it was not there. */
  delete(range: AddressRange): boolean {
    const { grandparent, parent, node } = this.#descend(range);
    if (node?.entry == null || node.length !== range.length || !isWithin(range.first, node.entry.range)) return false;
    node.entry = null;
    this.#size--;
    this.#prune(range.first, parent, node);
    if (parent !== null) this.#prune(range.first, grandparent, parent);
    return true;
  }

  /** The value of exactly this range. */
  get(range: AddressRange): T | undefined {
    const { node } = this.#descend(range);
    if (node?.entry == null || node.length !== range.length) return undefined;
    return isWithin(range.first, node.entry.range) ? node.entry.value : undefined;
  }

  /**
   * The value of the most specific range that the address lies in and that is accepted (by default every one is: pass a
   * test where entries can have expired).
   */
  find(address: Address, accept?: (value: T) => boolean): T | undefined {
    let best: T | undefined;
    let node = address.family === 4 ? this.#root4 : this.#root6;
    const bits = bitsOf(address);
    while (node !== null && startsLike(address, node)) {
      const { entry } = node;
      if (entry !== null && (accept === undefined || accept(entry.value))) best = entry.value;
      if (node.length === bits) break;
      node = bitAt(address, node.length) === 0 ? node.zero : node.one;
    }
    return best;
  }

  /** The node where the way to a range ends: its own, or the one that is in its place. */
  #descend(range: AddressRange): { grandparent: Node<T> | null; parent: Node<T> | null; node: Node<T> | null } {
    let grandparent: Node<T> | null = null;
    let parent: Node<T> | null = null;
    let node = range.first.family === 4 ? this.#root4 : this.#root6;
    while (node !== null && node.length < range.length && startsLike(range.first, node)) {
      grandparent = parent;
      parent = node;
      node = bitAt(range.first, node.length) === 0 ? node.zero : node.one;
    }
    return { grandparent, parent, node };
  }

  #attach(parent: Node<T> | null, child: Node<T>): void {
    if (parent !== null) adopt(parent, child);
    else this.#plant(child.family, child);
  }

  #plant(family: 4 | 6, root: Node<T> | null): void {
    if (family === 4) this.#root4 = root;
    else this.#root6 = root;
  }

  /** Takes a node out that holds nothing and parts nothing. */
  #prune(way: Address, parent: Node<T> | null, node: Node<T>): void {
    if (node.entry !== null || (node.zero !== null && node.one !== null)) return;
    const rest = node.zero ?? node.one;
    if (parent === null) this.#plant(way.family, rest);
    else if (bitAt(way, parent.length) === 0) parent.zero = rest;
    else parent.one = rest;
  }
}

/** The words of an address, signed or not. */
type Bits = Pick<Address, 'w0' | 'w1' | 'w2' | 'w3'>;

function adopt<T>(parent: Node<T>, child: Node<T>): void {
  if (bitAt(child, parent.length) === 0) parent.zero = child;
  else parent.one = child;
}

function bitAt(address: Bits, index: number): 0 | 1 {
  const word = index < 32 ? address.w0 : index < 64 ? address.w1 : index < 96 ? address.w2 : address.w3;
  return ((word >>> (31 - (index & 31))) & 1) === 0 ? 0 : 1;
}

/** Whether the address has the node's bits. */
function startsLike<T>(address: Bits, node: Node<T>): boolean {
  const { length } = node;
  if (length <= 32) return length === 0 || (address.w0 ^ node.w0) >>> (32 - length) === 0;
  if ((address.w0 | 0) !== node.w0) return false;
  if (length <= 64) return (address.w1 ^ node.w1) >>> (64 - length) === 0;
  if ((address.w1 | 0) !== node.w1) return false;
  if (length <= 96) return (address.w2 ^ node.w2) >>> (96 - length) === 0;
  return (address.w2 | 0) === node.w2 && (address.w3 ^ node.w3) >>> (128 - length) === 0;
}

/** How many leading bits two addresses of one family share. */
function sharedBits(a: Bits, b: Bits): number {
  const w0 = Math.clz32(a.w0 ^ b.w0);
  if (w0 < 32) return w0;
  const w1 = Math.clz32(a.w1 ^ b.w1);
  if (w1 < 32) return 32 + w1;
  const w2 = Math.clz32(a.w2 ^ b.w2);
  return w2 < 32 ? 64 + w2 : 96 + Math.clz32(a.w3 ^ b.w3);
}
