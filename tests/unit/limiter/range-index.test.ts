import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Address, type AddressRange, isWithin, parseAddress, parseRange } from '@/lib/limiter/address';
import { RangeIndex } from '@/lib/limiter/range-index';

/** Few bits that vary, so that ranges nest and meet. */
const address4 = fc
  .tuple(
    fc.constantFrom(10, 11, 138),
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom(0, 128),
    fc.integer({ min: 1, max: 4 }),
  )
  .map((parts) => parts.join('.'));
const address6 = fc
  .tuple(
    fc.constantFrom('2001:db8', '2001:db9', 'fe80:0'),
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom('0', '8000'),
    fc.integer({ min: 1, max: 4 }),
  )
  .map(([a, b, c, d]) => `${a}:${b}:${c}::${d}`);
/** Addresses of one network, which part in its lower 64 bits. */
const host6 = fc
  .array(fc.constantFrom('0', '1', '8000', 'ffff'), { minLength: 4, maxLength: 4 })
  .map((groups) => `2001:db8:0:1:${groups.join(':')}`);
const range = fc
  .oneof(
    fc.tuple(host6, fc.oneof(fc.integer({ min: 64, max: 128 }), fc.constantFrom(64, 95, 96, 97, 127, 128))),
    fc.tuple(address4, fc.oneof(fc.integer({ min: 0, max: 32 }), fc.constant(32))),
    fc.tuple(address6, fc.oneof(fc.integer({ min: 0, max: 128 }), fc.constantFrom(32, 64, 128))),
  )
  .map(([text, length]) => parseRange(`${text}/${length}`)!);

class Naive {
  readonly entries = new Map<string, { range: AddressRange; value: number }>();

  find(address: Address, accept: (value: number) => boolean = () => true): number | undefined {
    let best: { range: AddressRange; value: number } | undefined;
    for (const entry of this.entries.values()) {
      if (!isWithin(address, entry.range) || !accept(entry.value)) continue;
      if (!best || entry.range.length > best.range.length) best = entry;
    }
    return best?.value;
  }
}

describe('the index of ranges', () => {
  it('answers like a search through all of them, after any additions and removals', () => {
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('set' as const), range, value: fc.integer({ min: 0, max: 99 }) }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), range }) },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('find' as const),
          address: fc.oneof(address4, address6, host6).map((t) => parseAddress(t)!),
        }),
      },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const index = new RangeIndex<number>();
        const naive = new Naive();
        for (const step of steps) {
          if (step.kind === 'set') {
            index.set(step.range, step.value);
            naive.entries.set(step.range.text, step);
          } else if (step.kind === 'delete') {
            expect(index.delete(step.range)).toBe(naive.entries.delete(step.range.text));
          } else {
            expect(index.find(step.address)).toBe(naive.find(step.address));
            const even = (value: number) => value % 2 === 0;
            expect(index.find(step.address, even)).toBe(naive.find(step.address, even));
          }
          expect(index.size).toBe(naive.entries.size);
        }
        for (const { range } of naive.entries.values()) expect(index.delete(range)).toBe(true);
        expect(index.size).toBe(0);
      }),
      { numRuns: 1500 },
    );
  });

  it('keeps nothing of ranges that were removed', () => {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    const used = () => {
      if (typeof collect === 'function') collect();
      return process.memoryUsage().heapUsed;
    };
    const ranges = Array.from(
      { length: 50_000 },
      (_, i) => parseRange(`10.${(i >> 8) & 255}.${i & 255}.${i >> 16}/32`)!,
    );
    const index = new RangeIndex<number>();
    const before = used();
    for (const range of ranges) index.set(range, 1);
    const full = used() - before;
    for (const range of ranges) index.delete(range);
    const left = used() - before;
    // Named here so that they are not collected before.
    expect([ranges.length, index.size]).toEqual([50_000, 0]);
    expect(left).toBeLessThan(full / 10);
  });

  it('compares an address with the few ranges that can hold it, among 100,000 of both families', () => {
    const index = new RangeIndex<number>();
    let seed = 42;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed % below;
    };
    const byte = () => random(65_536) >> 8;
    const word = () => random(65_536).toString(16);
    while (index.size < 50_000) index.set(parseRange(`${byte()}.${byte()}.${byte()}.${byte()}/${16 + random(17)}`)!, 1);
    while (index.size < 100_000)
      index.set(parseRange(`2001:${word()}:${word()}:${word()}::${word()}/${32 + random(97)}`)!, 1);
    const looked = Array.from(
      { length: 2_000 },
      (_, i) => parseAddress(i % 2 ? `1${i % 10}.${byte()}.${byte()}.1` : `2001:${word()}:${word()}:${word()}::1`)!,
    );
    let reads = 0;
    const most = Math.max(
      ...looked.map((address) => {
        reads = 0;
        // Each prefix length in use reads the first word of the address once, and so does each range that may hold it.
        const { w0 } = address;
        index.find(
          Object.defineProperty({ ...address }, 'w0', {
            get() {
              reads++;
              return w0;
            },
          }),
          () => false,
        );
        return reads;
      }),
    );
    // 97 lengths of IPv6 are in use here. A list would read 100,000.
    expect(most).toBeLessThanOrEqual(2 * 97);
  });

  it.each([
    ['10.0.0.0/8', '10.1.0.0/16', '10.1.2.0/24', '10.1.2.3'],
    ['2001:db8::/32', '2001:db8:1::/48', '2001:db8:1:2::/64', '2001:db8:1:2::3'],
  ])('finds the most specific range, in whatever order %s and others were added', (wide, middle, narrow, address) => {
    for (const order of [
      [wide, middle, narrow],
      [narrow, wide, middle],
      [middle, narrow, wide],
    ]) {
      const index = new RangeIndex<string>();
      for (const text of order) index.set(parseRange(text)!, text);
      for (const text of [narrow, middle, wide]) {
        expect(index.find(parseAddress(address)!)).toBe(text);
        expect(index.delete(parseRange(text)!)).toBe(true);
      }
      expect(index.find(parseAddress(address)!)).toBeUndefined();
    }
  });

  it('tells prefixes apart whose hashes meet', () => {
    // The hash of 64 bits is 0x9e3779b1 times the first word, xor the second.
    const first = parseRange('0:1::/64')!;
    const word = Math.imul(1, 0x9e3779b1) ^ Math.imul(2, 0x9e3779b1);
    const second = parseRange(`0:2:${(word >>> 16).toString(16)}:${(word & 65_535).toString(16)}::/64`)!;
    const index = new RangeIndex<string>();
    index.set(first, 'first');
    index.set(second, 'second');
    expect(index.size).toBe(2);
    expect(index.find(parseAddress('0:1::7')!)).toBe('first');
    expect(index.find(second.first)).toBe('second');
    expect(index.delete(first)).toBe(true);
    expect(index.delete(first)).toBe(false);
    expect(index.find(parseAddress('0:1::7')!)).toBeUndefined();
    expect(index.find(second.first)).toBe('second');
    expect(index.delete(second)).toBe(true);
    expect(index.size).toBe(0);
  });

  it('gives a range another value in its place, and fills the place where two of them part', () => {
    const index = new RangeIndex<string>();
    const set = (text: string, value: string) => index.set(parseRange(text)!, value);
    const find = (text: string) => index.find(parseAddress(text)!);
    set('10.0.0.0/24', 'first');
    set('10.0.0.0/24', 'second');
    expect(index.size).toBe(1);
    expect(find('10.0.0.7')).toBe('second');
    set('10.0.1.0/24', 'beside');
    set('10.0.0.0/23', 'around');
    expect(index.size).toBe(3);
    expect(['10.0.0.7', '10.0.1.7'].map(find)).toEqual(['second', 'beside']);
    expect(index.delete(parseRange('10.0.1.0/24')!)).toBe(true);
    expect(find('10.0.1.7')).toBe('around');
  });

  it('tells addresses apart down to their last bit', () => {
    for (let bit = 64; bit < 128; bit += 1) {
      const group = (bit >>> 4) - 4;
      const groups = ['0', '0', '0', '0'];
      groups[group] = (1 << (15 - (bit & 15))).toString(16);
      const [plain, other] = [`2001:db8:1:1:${'0:0:0:0'}`, `2001:db8:1:1:${groups.join(':')}`];
      const index = new RangeIndex<string>();
      index.set(parseRange(plain)!, 'plain');
      index.set(parseRange(`${other}/${bit + 1}`)!, 'other');
      expect(index.size).toBe(2);
      expect(index.find(parseAddress(plain)!)).toBe('plain');
      expect(index.find(parseAddress(other)!)).toBe('other');
      expect(index.delete(parseRange(`${other}/${bit + 1}`)!)).toBe(true);
      expect(index.find(parseAddress(other)!)).toBeUndefined();
      expect(index.find(parseAddress(plain)!)).toBe('plain');
    }
  });
});
