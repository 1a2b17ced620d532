import { type AddressRange, parseRange } from '@/lib/limiter/address';

/** An interval of 32-bit numbers, `end` excluded. */
interface Interval {
  start: number;
  end: number;
}

/**
 * How the ranges of a family are judged, by their first 32 bits: whole addresses of IPv4, networks of /32 of IPv6. Smaller
 * ranges of IPv6 are not judged.
 */
interface Family {
  /** The shortest prefix of a range that may hold public addresses. */
  shortest: number;
  /** What is not public (RFC 6890), in order. */
  special: readonly Interval[];
}

const FAMILIES: Readonly<Record<4 | 6, Family>> = {
  4: {
    shortest: 8,
    special: intervalsOf([
      ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
      ...['192.0.2.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
    ]),
  },
  // Content delivery networks publish ranges of up to /28. Public is 2000::/3.
  6: { shortest: 24, special: intervalsOf(['::/3', '4000::/2', '8000::/1']) },
};

/**
 * The ranges of `SLUICE_TRUSTED_PROXIES` that trust a part of the internet: callers from there choose the address that
 * counts. Those are the ranges that hold public addresses and are wider than /8 (IPv6: /24), and all that hold some where
 * they hold more than that together, as `0.0.0.0/1,128.0.0.0/1` do. In canonical form.
 */
export function widelyTrusted(proxies: readonly string[]): string[] {
  const ranges = proxies.flatMap((text) => parseRange(text) ?? []);
  return ([4, 6] as const).flatMap((family) => {
    const { shortest, special } = FAMILIES[family];
    const isPublic = (range: AddressRange) => publicSize([intervalOf(range)], special) > 0;
    const judged = ranges.filter(({ first, length }) => first.family === family && length <= 32).filter(isPublic);
    const isTooMuch = publicSize(judged.map(intervalOf), special) > 2 ** (32 - shortest);
    return judged.filter(({ length }) => isTooMuch || length < shortest).map(({ text }) => text);
  });
}

function intervalsOf(texts: readonly string[]): Interval[] {
  return texts.flatMap((text) => parseRange(text) ?? []).map(intervalOf);
}

function intervalOf({ first: { w0 }, length }: AddressRange): Interval {
  return { start: w0, end: w0 + 2 ** (32 - length) };
}

/** How many numbers some intervals hold together, without the special ones. */
function publicSize(intervals: readonly Interval[], special: readonly Interval[]): number {
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
