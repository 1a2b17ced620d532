import { parseAddress, parseRange } from '../lib/limiter/address';
import { RangeIndex } from '../lib/limiter/range-index';
import { median, table } from './rounds';

const LOOKED = 50_000;

/** Prefix lengths: commonly allocated ones, and all possible ones. */
const LENGTHS = {
  usual: { 4: [16, 20, 24, 32], 6: [32, 48, 56, 64, 128] },
  every: { 4: Array.from({ length: 21 }, (_, i) => 12 + i), 6: Array.from({ length: 105 }, (_, i) => 24 + i) },
};

/** Measures parsing an address and finding it among the allowlist's ranges. */
export async function run(): Promise<string> {
  const rows: string[][] = [];
  const kinds = (['usual', 'every'] as const).flatMap((lengths) =>
    [1_000, 10_000, 100_000].map((size) => ({ lengths, size })),
  );
  for (const { lengths, size } of kinds) {
    for (const family of [4, 6] as const) {
      const possible = LENGTHS[lengths][family];
      const index = new RangeIndex<number>();
      const start = performance.now();
      while (index.size < size) {
        const range = parseRange(`${text(family)}/${possible[randomBelow(possible.length)]}`);
        if (range) index.set(range, 1);
      }
      const built = performance.now() - start;
      const texts = Array.from({ length: LOOKED }, () => text(family));
      const addresses = texts.flatMap((text) => parseAddress(text) ?? []);
      const find = measure(() => {
        let found = 0;
        for (const address of addresses) found += index.find(address) ?? 0;
        return found;
      });
      const parse = measure(() => texts.reduce((sum, text) => sum + (parseAddress(text)?.w0 ?? 0), 0));
      rows.push([
        size.toLocaleString('en-US'),
        String(possible.length),
        `IPv${family}`,
        `${find.toFixed(0)} ns`,
        `${parse.toFixed(0)} ns`,
        `${built.toFixed(0)} ms`,
      ]);
    }
  }
  return table(['ranges', 'prefix lengths', 'family', 'look-up', 'reading the address', 'building it all'], rows);
}

/** Returns nanoseconds per address, median of 9. */
function measure(work: () => number): number {
  let sink = 0;
  const times = Array.from({ length: 9 }, () => {
    const start = performance.now();
    sink += work();
    return ((performance.now() - start) / LOOKED) * 1e6;
  });
  if (Number.isNaN(sink)) throw new Error('Nothing was measured.');
  return median(times);
}

function randomBelow(limit: number): number {
  return Math.floor(Math.random() * limit);
}

function text(family: 4 | 6): string {
  if (family === 4) return `${1 + randomBelow(223)}.${randomBelow(256)}.${randomBelow(256)}.${randomBelow(256)}`;
  const group = () => randomBelow(65_536).toString(16);
  return `2001:${group()}:${group()}:${group()}::${group()}`;
}
