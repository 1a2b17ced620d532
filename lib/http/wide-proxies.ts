import { type AddressRange, parseRange } from '@/lib/limiter/address';

/** An interval of 32-bit numbers, `end` excluded. */
interface Interval {
  start: number;
  end: number;
}

/**
 * Rules for the ranges of an address family. Compares the first 32 bits: an IPv4 address, or an IPv6 network of /32.
 * Ignores smaller IPv6 ranges.
 */
interface Family {
  /** Shortest prefix that a range with public addresses may have. */
  shortest: number;
  /** Ranges that are not public (RFC 6890), in ascending order. */
  special: readonly Interval[];
}

const FAMILIES: Readonly<Record<4 | 6, Family>> = {
  4: {
    shortest: 8,
    special: parseIntervals([
      ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
      ...['192.0.2.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
    ]),
  },
  // Content delivery networks publish ranges of up to /28. Public addresses are in 2000::/3.
  6: { shortest: 24, special: parseIntervals(['::/3', '4000::/2', '8000::/1']) },
};

/**
 * Lists the ranges of `SLUICE_TRUSTED_PROXIES` that trust a part of the internet, in canonical form. Callers there
 * choose the address that counts.
 * A range is listed if it holds public addresses and is wider than /8 (IPv6: /24). If all ranges together exceed that
 * size, as `0.0.0.0/1,128.0.0.0/1` do, every range with public addresses is listed.
 */
export function listWideProxies(proxies: readonly string[]): string[] {
  const ranges = proxies.flatMap((text) => parseRange(text) ?? []);
  return ([4, 6] as const).flatMap((family) => {
    const { shortest, special } = FAMILIES[family];
    const isPublic = (range: AddressRange) => countPublic([buildInterval(range)], special) > 0;
    const judged = ranges.filter(({ first, length }) => first.family === family && length <= 32).filter(isPublic);
    const isTooMuch = countPublic(judged.map(buildInterval), special) > 2 ** (32 - shortest);
    return judged.filter(({ length }) => isTooMuch || length < shortest).map(({ text }) => text);
  });
}

function parseIntervals(texts: readonly string[]): Interval[] {
  return texts.flatMap((text) => parseRange(text) ?? []).map(buildInterval);
}

function buildInterval({ first: { w0 }, length }: AddressRange): Interval {
  return { start: w0, end: w0 + 2 ** (32 - length) };
}

/** Counts the numbers in the intervals, without the special ones. */
function countPublic(intervals: readonly Interval[], special: readonly Interval[]): number {
  let size = 0;
  let counted = 0;
  for (const { start, end } of intervals.toSorted((a, b) => a.start - b.start)) {
    const from = Math.max(start, counted);
    if (end <= from) continue;
    const overlaps = special.map((other) => Math.max(0, Math.min(end, other.end) - Math.max(from, other.start)));
    size += end - from - overlaps.reduce((sum, overlap) => sum + overlap, 0);
    counted = end;
  }
  return size;
}
